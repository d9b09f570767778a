import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';

import { createGatehouse, type Gatehouse, type GatehouseOptions } from 'gatehouse-server/client';
import { OAuthError, ProblemError, SignedOutError, UnreachableError } from 'gatehouse-server/client/errors';
import { memoryStore } from 'gatehouse-server/client/login';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';

interface Note {
  id: string;
  title: string;
  stars: number;
  folder_id: string | null;
  folder?: { data: { name: string } };
}

onBothEngines('The client and a real service', (engine) => {
  const start = services(engine);
  let service: Service;
  let email: string;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: join(import.meta.dirname, 'resources') } });
    email = (await addLogin(service)).email;
  });
  const client = (options: GatehouseOptions = {}) =>
    createGatehouse({ baseUrl: service.url, proxy: 'web/admin', refreshTokens: memoryStore(), ...options });
  async function signedIn(options?: GatehouseOptions): Promise<Gatehouse> {
    const gatehouse = client(options);
    await gatehouse.login({ email, password });
    return gatehouse;
  }

  describe('logins', () => {
    test('refuse wrong credentials with an OAuth error', async () => {
      await assert.rejects(client().login({ email, password: 'not the password' }), (error) => {
        assert.ok(error instanceof OAuthError);
        assert.equal(error.code, 'invalid_grant');
        return true;
      });
    });

    test('renew an expired access token once for all calls', async () => {
      let renewed = 0;
      const gatehouse = await signedIn({
        fetch: (url, init) => {
          if (url.endsWith('/refresh')) renewed++;
          return fetch(url, init);
        },
      });
      service.advance(3601_000);
      await Promise.all(Array.from({ length: 6 }, () => gatehouse.resource('notes').list()));
      assert.equal(renewed, 1);
    });

    test('continue in two tabs that refresh concurrently', async () => {
      const refreshTokens = memoryStore();
      const first = await signedIn({ refreshTokens });
      const second = client({ refreshTokens });
      for (let hour = 0; hour < 2; hour++) {
        service.advance(3601_000);
        await assert.doesNotReject(Promise.all([first.resource('notes').list(), second.resource('notes').list()]));
      }
    });

    test('survive lost responses, regardless of number and duration', async () => {
      const refreshTokens = memoryStore();
      const sent: string[] = [];
      let lost = 0;
      const gatehouse = await signedIn({
        refreshTokens,
        retryDelays: [0, 0],
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          if (!url.endsWith('/refresh')) return response;
          sent.push(JSON.parse(init.body as string).refresh_token);
          if (lost-- > 0) throw new TypeError('the connection was lost');
          return response;
        },
      });
      const kept = refreshTokens.read();
      for (const tries of [3, 3, 2]) {
        service.advance(3601_000);
        lost = tries;
        const listed = gatehouse.resource('notes').list();
        if (tries === 3) await assert.rejects(listed, UnreachableError);
        else await listed;
      }
      assert.deepEqual(sent, Array(9).fill(kept));
      service.advance(3601_000);
      await gatehouse.resource('notes').list();
      assert.notEqual(sent.at(-1), kept);
    });

    test('recover a refresh token that could not be stored', async () => {
      const inner = memoryStore();
      let full = false;
      const refreshTokens = {
        read: inner.read,
        async write(token: string | undefined) {
          if (full) throw new Error('the disk is full');
          await inner.write(token);
        },
      };
      const first = await signedIn({ refreshTokens });
      service.advance(3601_000);
      full = true;
      await assert.rejects(first.resource('notes').list(), /the disk is full/);
      full = false;
      service.advance(3601_000);
      await client({ refreshTokens }).resource('notes').list();
    });

    test('leave no usable token after a logout', async () => {
      const refreshTokens = memoryStore();
      const gatehouse = await signedIn({ refreshTokens });
      const stolen = memoryStore();
      await stolen.write(await refreshTokens.read());
      await gatehouse.logout();
      assert.equal(await gatehouse.resume(), false);
      assert.equal(await client({ refreshTokens: stolen }).resume(), false);
      await assert.rejects(gatehouse.resource('notes').list(), SignedOutError);
    });
  });

  describe('resources', () => {
    let gatehouse: Gatehouse;
    let folder: string;
    before(async () => {
      gatehouse = await signedIn();
      folder = (await gatehouse.resource<{ id: string }>('folders').create({ name: 'Work' })).data.id;
    });
    const notes = () => gatehouse.resource<Note>('notes');

    test('are created, read, changed, replaced and deleted', async () => {
      const { data: made, etag } = await notes().create({ title: 'One', stars: 3, folder_id: folder });
      assert.equal(made.title, 'One');
      const found = await notes().get(made.id, { include: ['folder'], filter: ['id', 'title'] });
      assert.deepEqual(found.data, { id: made.id, title: 'One', folder: found.data.folder });
      assert.equal(found.data.folder?.data.name, 'Work');
      const patched = await notes().patch(made.id, { stars: 4 }, { ifMatch: etag });
      assert.deepEqual([patched.data.title, patched.data.stars], ['One', 4]);
      const replaced = await notes().replace(made.id, { title: 'Two' }, { ifMatch: patched.etag });
      assert.deepEqual([replaced.data.title, replaced.data.stars, replaced.data.folder_id], ['Two', 0, null]);
      await notes().delete(made.id, { ifMatch: replaced.etag });
      await assert.rejects(notes().get(made.id), { status: 404, code: 'not_found' });
    });

    test('do not overwrite a concurrent change', async () => {
      const { data, etag } = await notes().create({ title: 'Contested' });
      await notes().patch(data.id, { stars: 1 });
      for (const write of [
        () => notes().patch(data.id, { stars: 2 }, { ifMatch: etag }),
        () => notes().replace(data.id, { title: 'Mine' }, { ifMatch: etag }),
        () => notes().delete(data.id, { ifMatch: etag }),
      ]) {
        await assert.rejects(write(), { code: 'precondition_failed' });
      }
      assert.equal((await notes().get(data.id)).data.stars, 1);
    });

    test('include users, whose deletion needs the password', async () => {
      const { email: own } = await addLogin(service);
      const gatehouse = client();
      await gatehouse.login({ email: own, password });
      const users = gatehouse.resource('users');
      await assert.rejects(users.delete('me'), { code: 'validation_failed' });
      await users.delete('me', { body: { current_password: password } });
      await assert.rejects(users.get('me'), { status: 401 });
    });

    test('report invalid fields', async () => {
      await assert.rejects(notes().create({ stars: 9, colour: 'red' }), (error) => {
        assert.ok(error instanceof ProblemError);
        assert.deepEqual(error.fields.map(({ field }) => field).sort(), ['colour', 'stars', 'title']);
        assert.ok(error.requestId);
        return true;
      });
    });

    test('are not created twice if a response is lost', async () => {
      let lose = true;
      const losingResponse = await signedIn({
        retryDelays: [1],
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          if (init.method !== 'POST' || !url.endsWith('/notes') || !lose) return response;
          lose = false;
          throw new TypeError('connection lost');
        },
      });
      await losingResponse.resource('notes').create({ title: 'Only once' });
      assert.equal((await notes().list({ search: { title: 'Only once' } })).pagination.total, 1);
    });

    test('are listed and created below their parent', async () => {
      const below = gatehouse.resource('folders').of<Note>(folder, 'notes');
      const { data } = await below.create({ title: 'Below' });
      assert.equal(data.folder_id, folder);
      assert.ok((await below.list({ limit: 100 })).data.some(({ id }) => id === data.id));
    });

    test('return the result of an action', async () => {
      const { data } = await notes().create({ title: 'Applauded' });
      assert.deepEqual(await notes().act(data.id, 'applaud'), { told: data.id });
    });

    test('return every row once by each()', async () => {
      const parent = (await gatehouse.resource<{ id: string }>('folders').create({ name: 'Many' })).data.id;
      const below = gatehouse.resource('folders').of<Note>(parent, 'notes');
      for (let i = 0; i < 7; i++) await below.create({ title: `Note ${i}` });
      const seen: string[] = [];
      for await (const note of below.each({ limit: 3, orderBy: 'title' })) seen.push(note.title);
      assert.deepEqual(seen, ['Note 0', 'Note 1', 'Note 2', 'Note 3', 'Note 4', 'Note 5', 'Note 6']);
    });

    test('are found by id, in a list and by a search, with any title', async () => {
      const signs = fc.constantFrom('\\', ';', ',', '*', ':', '>', '=', '!', '<', '%', '_', "'", '"', 'a', 'ß', '🚗');
      const titles = fc.oneof(fc.constant('null'), fc.string({ unit: signs, minLength: 1, maxLength: 12 }));
      await fc.assert(
        fc.asyncProperty(titles, async (title) => {
          const { data } = await notes().create({ title });
          const prefix = (startsWith: string) => ({ title: { startsWith } });
          for (const search of [
            { title },
            { title: [title, 'another'] },
            { title: { contains: title } },
            prefix(title),
          ]) {
            const found = await notes().list({ search: { ...search, id: data.id } });
            assert.deepEqual(
              found.data.map(({ id }) => id),
              [data.id],
              JSON.stringify(search),
            );
          }
          for (const search of [{ title: `${title}x` }, prefix(`${title}x`)]) {
            const other = await notes().list({ search: { ...search, id: data.id } });
            assert.equal(other.data.length, 0, JSON.stringify(search));
          }
        }),
        { numRuns: 40 },
      );
    });
  });
});
