import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, it } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Tx } from '../../src/database/database.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { addClient, addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openSession } from '../harness/sessions.ts';
import { signToken } from '../harness/sign-token.ts';
import { requestDuring } from './request-during.ts';

onBothEngines('A client that loses its rights during a request', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env: { FRESH_PROOF: '0' } });
  });

  type Client = { readonly id: string; readonly secret: string };
  const form = ({ id, secret }: Client, fields: Record<string, string>) => ({
    form: { client_id: id, client_secret: secret, ...fields },
  });
  const ends = new Map<string, (client: Client) => (tx: Tx) => Promise<unknown>>([
    [
      'its secret is deleted',
      ({ id }) =>
        (tx) =>
          tx.deleteFrom('client_secrets').where('client_id', '=', id).execute(),
    ],
    [
      'its secret expires',
      ({ id }) =>
        (tx) =>
          tx.updateTable('client_secrets').set({ expires_at: 1 }).where('client_id', '=', id).execute(),
    ],
    [
      'it is deleted',
      ({ id }) =>
        (tx) =>
          tx.deleteFrom('clients').where('id', '=', id).execute(),
    ],
  ]);

  const countSessions = async ({ id }: Pick<Client, 'id'>) =>
    (await service.context.database.db.selectFrom('sessions').selectAll().where('client_id', '=', id).execute()).filter(
      ({ revoked_at, generation }) => revoked_at === null && generation === 0,
    ).length;

  for (const [what, end] of ends) {
    it(`gets no session for itself when ${what}`, async () => {
      const client = await addClient(service);
      const asked = () => request(service, '/v1/oauth/token', form(client, { grant_type: 'client_credentials' }));
      assert.equal((await asked()).status, 200);
      const { status, body } = await requestDuring(service, end(client), asked);
      assert.deepEqual([status, body.error], [401, 'invalid_client']);
      assert.ok((await countSessions(client)) <= 1);
    });

    it(`gets no session of a user when ${what}`, async () => {
      const client = await addClient(service, { type: 'password' });
      const { email } = await addLogin(service);
      const fields = { grant_type: 'password', username: email, password };
      const asked = () => request(service, '/v1/oauth/token', form(client, fields));
      assert.equal((await asked()).status, 200);
      const { db } = service.context.database;
      // A login counts its attempts before its transaction. On SQLite, the open transaction would block that.
      if (engine === 'sqlite') {
        await db.transaction().execute(end(client));
        assert.equal((await asked()).body.error, 'invalid_client');
      } else assert.equal((await requestDuring(service, end(client), asked)).body.error, 'invalid_client');
      assert.ok((await countSessions(client)) <= 1);
    });

    it(`cannot refresh when ${what}`, async () => {
      const client = await addClient(service);
      const issued = await request(service, '/v1/oauth/token', form(client, { grant_type: 'client_credentials' }));
      const fields = { grant_type: 'refresh_token', refresh_token: String(issued.body.refresh_token) };
      const { status, body } = await requestDuring(service, end(client), () =>
        request(service, '/v1/oauth/token', form(client, fields)),
      );
      assert.deepEqual([status, body.error], [401, 'invalid_client']);
    });

    it(`cannot revoke when ${what}`, async () => {
      const client = await addClient(service);
      const session = await openSession(service, { clientId: client.id, scopes: ['*'], source: systemSource });
      const token = signToken(service.sessions, session);
      const asked = () => request(service, '/v1/oauth/revoke', form(client, { token }));
      const { status, body } = await requestDuring(service, end(client), asked);
      assert.deepEqual([status, body.error], [401, 'invalid_client']);
    });
  }

  for (const [what, changed] of [
    ['removed', { jwks: null }],
    ['replaced', { jwks: null, jwks_uri: 'https://keys.example/jwks' }],
  ] as const)
    it(`gets no session for itself when its public keys are ${what}`, async () => {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      const jwks = { keys: [await exportJWK(publicKey)] };
      const { id } = await addApplication(service, { token_endpoint_auth_method: 'private_key_jwt', jwks });
      const asked = async () => {
        const claims = { iss: id, sub: id, aud: service.context.config.baseUrl, jti: randomUUID() };
        const assertion = new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).setExpirationTime('1 minute');
        const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
        const client_assertion = await assertion.sign(privateKey);
        const fields = { grant_type: 'client_credentials', client_assertion, client_assertion_type: type };
        return request(service, '/v1/oauth/token', { form: fields });
      };
      assert.equal((await asked()).status, 200);
      const end = (tx: Tx) => tx.updateTable('clients').set(changed).where('id', '=', id).execute();
      const { status, body } = await requestDuring(service, end, asked);
      assert.deepEqual([status, body.error], [401, 'invalid_client']);
      assert.ok((await countSessions({ id })) <= 1);
    });

  it('can get new secrets while it requests tokens, without a deadlock', async () => {
    const client = await addClient(service);
    const admin = await addLogin(service, { roles: ['admin'] });
    const session = await openSession(service, { userId: admin.id, scopes: ['*'], source: systemSource });
    const token = signToken(service.sessions, session);
    const renew = () => request(service, `/v1/clients/${client.id}/secrets`, { json: { keep_old_hours: 1 }, token });
    const get = () => request(service, '/v1/oauth/token', form(client, { grant_type: 'client_credentials' }));
    const responses = await Promise.all([
      renew(),
      ...Array.from({ length: 10 }, get),
      renew(),
      ...Array.from({ length: 10 }, get),
    ]);
    assert.deepEqual([...new Set(responses.map(({ status }) => status))].sort(), [200, 201]);
  });
});
