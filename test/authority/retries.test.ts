import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, it } from 'node:test';
import { systemSource } from '../../src/http/request-source.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openSession } from '../harness/sessions.ts';
import { signToken } from '../harness/sign-token.ts';
import { type Person, signedIn } from './people.ts';

type Row = { readonly id: string; readonly client_secret?: string; readonly access_token?: string };

onBothEngines('A retry with an Idempotency-Key', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    // The sessions of these tests prove no sign-in.
    service = await start({ env: { FRESH_PROOF: '0' } });
  });

  const secrets: readonly [string, 'client_secret' | 'access_token'][] = [
    ['/v1/clients', 'client_secret'],
    ['/v1/tokens', 'access_token'],
  ];
  const sender = (path: string) => {
    const headers = { 'idempotency-key': randomUUID() };
    return (token: string) =>
      request<{ data: Row; code: string }>(service, path, { json: { name: 'mine' }, token, headers });
  };
  /** Another session of the same user through the same client. */
  const secondSession = async ({ id: userId, clientId }: Person) =>
    signToken(service.sessions, await openSession(service, { userId, clientId, scopes: ['*'], source: systemSource }));

  for (const [path, secret] of secrets) {
    it(`does not show the secret of ${path} again, and creates no second row`, async () => {
      const person = await signedIn(service);
      const send = sender(path);
      const made = await send(person.token);
      const shown = made.body.data[secret] as string;
      assert.deepEqual([made.status, typeof shown], [201, 'string']);
      for (const token of [person.token, await secondSession(person)]) {
        const again = await send(token);
        assert.deepEqual([again.status, again.body.data.id], [201, made.body.data.id]);
        assert.ok(!JSON.stringify(again.body).includes(shown) && !(secret in again.body.data));
      }
      const stranger = await send((await signedIn(service)).token);
      assert.notEqual(stranger.body.data.id, made.body.data.id);
    });

    it(`responds 410 if its row of ${path} was deleted`, async () => {
      const person = await signedIn(service);
      const send = sender(path);
      const made = await send(person.token);
      const { id } = made.body.data;
      const removed = await request(service, `${path}/${id}`, { method: 'DELETE', token: person.token });
      assert.equal(removed.status, 204);
      const gone = await send(person.token);
      assert.deepEqual([gone.status, gone.body.code], [410, 'gone']);
    });
  }
});
