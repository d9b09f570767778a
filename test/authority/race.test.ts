import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Tx } from '../../src/database/database.ts';
import { contentOf } from '../harness/content.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { env, type Person, signedIn } from './people.ts';
import { requestDuring, untilBlocked } from './request-during.ts';
import { type Write, writes } from './writes.ts';

onBothEngines("A write during the end of its caller's rights", (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env });
  });

  const send = ({ token }: Person, { method, path, json, headers }: Write) =>
    request(service, path, { method, json, token, ...(headers ? { headers } : {}) });

  const revoke = (person: Person) => (tx: Tx) =>
    tx.updateTable('sessions').set({ revoked_at: 1 }).where('id', '=', person.sessionId).execute();

  for (const [what, prepare] of writes) {
    it(`does nothing with a token that is being revoked: ${what}`, async () => {
      const person = await signedIn(service);
      const write = await prepare(service, person);
      const left = await contentOf(service, ['sessions']);
      const { status, body } = await requestDuring(service, revoke(person), () => send(person, write));
      assert.deepEqual([status, body.code], [401, 'token_revoked']);
      assert.equal(await contentOf(service, ['sessions']), left);
    });
  }

  it('creates no row of a batch with a token that is being revoked', async () => {
    const person = await signedIn(service);
    const left = await contentOf(service, ['sessions']);
    const rows = ['Eve', 'Mallory', 'Trudy'].map((name) => ({ name }));
    const batch: Write = { method: 'POST', path: '/v1/owners/batches', json: { rows } };
    const { body } = await requestDuring(service, revoke(person), () => send(person, batch));
    const results = body.data as { status: number; error: { code: string } }[];
    assert.deepEqual(
      results.map(({ status, error }) => [status, error.code]),
      rows.map(() => [401, 'token_revoked']),
    );
    assert.equal(await contentOf(service, ['sessions']), left);
  });

  const create: Write = { method: 'POST', path: '/v1/owners', json: { name: 'Eve' } };
  const ends: readonly [string, (person: Person) => (tx: Tx) => Promise<unknown>, [number, string]][] = [
    [
      'whose user is being deleted',
      ({ id }) =>
        (tx) =>
          tx.deleteFrom('users').where('id', '=', id).execute(),
      [401, 'user_gone'],
    ],
    [
      'whose client is being deleted',
      ({ clientId }) =>
        (tx) =>
          tx.deleteFrom('clients').where('id', '=', clientId).execute(),
      [401, 'client_revoked'],
    ],
    [
      'whose user is being disabled',
      ({ id }) =>
        (tx) =>
          tx.updateTable('users').set({ disabled: 1 }).where('id', '=', id).execute(),
      [401, 'user_gone'],
    ],
    [
      'whose role is being removed',
      ({ id }) =>
        (tx) =>
          tx.updateTable('users').set({ roles: '[]' }).where('id', '=', id).execute(),
      [403, 'forbidden'],
    ],
    [
      'whose client is losing scopes',
      ({ clientId }) =>
        (tx) =>
          tx.updateTable('clients').set({ scopes: '["users:read"]' }).where('id', '=', clientId).execute(),
      [403, 'insufficient_scope'],
    ],
    [
      'whose session expires',
      ({ sessionId }) =>
        (tx) =>
          tx.updateTable('sessions').set({ expires_at: 1 }).where('id', '=', sessionId).execute(),
      [401, 'token_expired'],
    ],
  ];
  for (const [who, end, refused] of ends) {
    it(`does nothing for a caller ${who}`, async () => {
      const person = await signedIn(service);
      const { status, body } = await requestDuring(service, end(person), () => send(person, create));
      assert.deepEqual([status, body.code], refused);
    });
  }

  it("applies the rules of a row to the caller's current rights", async () => {
    const other = await signedIn(service, { roles: [] });
    const demote = (person: Person) => (tx: Tx) =>
      tx.updateTable('users').set({ roles: '[]' }).where('id', '=', person.id).execute();
    for (const [write, status] of [
      [{ method: 'PATCH', path: `/v1/users/${other.id}`, json: { name: 'Eve' } }, 404],
      [{ method: 'POST', path: `/v1/clients/${other.clientId}/secrets`, json: {} }, 404],
      [{ method: 'DELETE', path: `/v1/tokens/${other.sessionId}`, json: {} }, 404],
    ] as const) {
      const person = await signedIn(service);
      const response = await requestDuring(service, demote(person), () => send(person, write));
      assert.deepEqual([write.path, response.status], [write.path, status]);
    }
  });

  it('succeeds if the transaction that ends the rights is rolled back', async () => {
    const person = await signedIn(service);
    const { db } = service.context.database;
    let asked: ReturnType<typeof request> | undefined;
    const undone = new Error('never mind');
    await assert.rejects(
      db.transaction().execute(async (tx) => {
        await revoke(person)(tx);
        asked = request(service, create.path, { json: create.json, token: person.token });
        await untilBlocked(service);
        throw undone;
      }),
      undone,
    );
    assert.equal((await asked)?.status, 201);
  });
});
