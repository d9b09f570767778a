import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../harness/engines.ts';
import { type JsonResponse, logIn, request } from '../harness/request.ts';
import { trials } from '../harness/trial.ts';

const writers = 48;
const admin = { email: 'admin@example.com', password: 'correct horse battery' };
const person = { email: 'ada@example.com', password: 'another long password' };

/** Each commit takes as long as on a server that waits for a remote standby. */
const slowCommits = `
  create function slow_commit() returns trigger language plpgsql as $$ begin perform pg_sleep(0.05); return null; end $$;
  create constraint trigger slow_commit after insert on entries deferrable initially deferred
    for each row execute function slow_commit()`;

const withNote = `import { defineResource, integer, text } from 'gatehouse-server/resources';
export default defineResource({
  name: 'entries',
  fields: {
    label: text({ required: true, unique: true, searchable: true, sortable: true }),
    count: integer({ required: true, searchable: true, sortable: true }),
    note: text({ default: 'none', searchable: true }),
  },
  access: { read: 'auth:api', write: 'auth:api' },
});`;

describe(`${writers} writers that never pause, on two instances with slow commits`, () => {
  const begin = trials();

  it("delay neither an administrator's revocation nor the start of an instance", { timeout: 600_000 }, async (t) => {
    const database = await createTestDatabase('postgres');
    t.after(() => database.remove());
    const { dir, start } = await begin({
      ...{ DATABASE_URL: database.url, BASE_URL: 'http://auth.example', DATABASE_POOL_SIZE: '30' },
      ...{ ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password },
    });
    const urls = [(await start()).url, (await start({ DATA_DIR: 'second' })).url];
    const at = (n: number) => ({ url: urls[n % urls.length] as string });
    const server = new pg.Client({ connectionString: database.url });
    await server.connect();
    await server.query(slowCommits).finally(() => server.end());

    const administrator = await logIn(at(0), admin.email, admin.password);
    const asAdmin = (method: string, path: string, json?: object) =>
      request<Record<string, Record<string, string>>>(at(1), path, {
        ...{ method, token: administrator },
        ...(json ? { json } : {}),
      });
    const made = await asAdmin('POST', '/v1/users', person);
    assert.equal(made.status, 201, made.text);
    const userId = made.body.data?.id as string;

    let token = '';
    let stopped = false;
    const responses = new Map<number, number>();
    const write = async (n: number): Promise<void> => {
      while (!stopped) {
        const used = token;
        const { status } = await request(at(n), '/v1/entries', {
          json: { label: randomUUID(), count: n },
          token: used,
        });
        responses.set(status, (responses.get(status) ?? 0) + 1);
        // The token was revoked. Waits for the next one.
        while (status === 401 && token === used && !stopped) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const succeeded = async (more: number) => {
      const enough = (responses.get(201) ?? 0) + more;
      while ((responses.get(201) ?? 0) < enough) await new Promise((resolve) => setTimeout(resolve, 20));
    };

    const took: [string, number][] = [];
    const during = async (what: string, revoke: () => Promise<JsonResponse<unknown>>, status: number) => {
      token = await logIn(at(1), person.email, person.password);
      await succeeded(writers);
      const begun = performance.now();
      const response = await revoke();
      took.push([what, Math.round(performance.now() - begun)]);
      assert.equal(response.status, status, `${what}: ${response.text}`);
    };
    token = await logIn(at(1), person.email, person.password);
    const writing = Promise.all(Array.from({ length: writers }, (_, n) => write(n)));
    try {
      for (let round = 0; round < 2; round++) {
        await during('logout', () => request(at(0), '/v1/logout', { method: 'DELETE', token }), 200);
        await during('disable', () => asAdmin('PATCH', `/v1/users/${userId}`, { disabled: true }), 200);
        assert.equal((await asAdmin('PATCH', `/v1/users/${userId}`, { disabled: false })).status, 200);
        const password = { password: person.password };
        await during('new password', () => asAdmin('PATCH', `/v1/users/${userId}`, password), 200);
        token = await logIn(at(1), person.email, person.password);
        await succeeded(writers);
        const begun = performance.now();
        const third = await start({ DATA_DIR: `third-${round}` });
        took.push(['start', Math.round(performance.now() - begun)]);
        third.child.kill('SIGTERM');
      }
      const resources = join(dir, 'resources-with-note');
      cpSync(join(import.meta.dirname, 'resources'), resources, { recursive: true });
      writeFileSync(join(resources, 'entries.ts'), withNote);
      const begun = performance.now();
      await start({ DATA_DIR: 'newer', RESOURCES_DIR: resources });
      took.push(['start of a newer version', Math.round(performance.now() - begun)]);
      await succeeded(writers);
      await during('delete', () => asAdmin('DELETE', `/v1/users/${userId}`), 204);
    } finally {
      stopped = true;
      await writing;
    }
    t.diagnostic(
      `${JSON.stringify(Object.fromEntries(responses))}, milliseconds: ${took.map((one) => one.join(' ')).join(', ')}`,
    );
    const failed = [...responses].filter(([status]) => status !== 201 && status !== 401);
    assert.deepEqual(failed, []);
  });
});
