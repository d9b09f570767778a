import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, addUser, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

interface Sent {
  readonly data: readonly { readonly status: number; readonly error?: { readonly code: string } }[];
  readonly code?: string;
  readonly errors?: readonly { readonly field: string; readonly code: string }[];
}

onBothEngines('A batch of accounts', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: { id: string; email: string };
  let token: string;
  before(async () => {
    service = await start();
    admin = await addLogin(service, { roles: ['admin'] });
    token = await logIn(service, admin.email, password);
  });
  const send = (method: string, resource: string, rows: readonly object[], headers: Record<string, string> = {}) =>
    request<Sent>(service, `/v1/${resource}/batches`, { method, json: { rows }, token, headers });

  it('recognizes a row by each of its ids', async () => {
    const twice = ['me', admin.id].map((id) => ({ id, name: 'Ada' }));
    const { status, body } = await send('PATCH', 'users', twice);
    assert.equal(status, 422, JSON.stringify(body));
    assert.deepEqual([body.errors?.[0]?.field, body.errors?.[0]?.code], ['rows.1.id', 'duplicate']);
  });

  it('is refused completely if its Idempotency-Key is invalid, before anything is written', async () => {
    const { status, body } = await send('POST', 'tokens', [{ name: 'unkeyed' }], { 'idempotency-key': 'a b' });
    assert.deepEqual([status, body.code], [400, 'idempotency_key_invalid']);
  });

  it('is refused completely with If-Match, which names the version of one row', async () => {
    const { id } = await addUser(service.context);
    const path = `/v1/users/${id}`;
    const etag = (await request(service, path, { token })).headers.get('etag') ?? '';
    const rows = [{ id, name: 'Grace' }];
    for (const tag of [etag, '"1-other"']) {
      const { status, body } = await send('PATCH', 'users', rows, { 'if-match': tag });
      assert.deepEqual([status, body.code], [400, 'bad_request'], tag);
      const headers = { 'if-match': tag };
      const deletion = { method: 'DELETE', json: { ids: [id] }, token, headers };
      assert.equal((await request(service, '/v1/users/batches', deletion)).status, 400, tag);
    }
    assert.equal((await request(service, path, { token, headers: { 'if-none-match': etag } })).status, 304);
    const { body } = await send('PATCH', 'users', rows, { 'if-match': '*' });
    assert.equal(body.data[0]?.status, 200);
  });

  it('is not cached', async () => {
    const { headers } = await send('PATCH', 'users', [{ id: 'me', name: 'Ada' }]);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  it('keeps one administrator, even if it removes the role from all of them', async () => {
    for (let n = 0; n < 3; n++) await addUser(service.context, { roles: ['admin'] });
    const all = await request<{ data: { id: string }[] }>(service, '/v1/users?search=roles:admin', { token });
    const ids = all.body.data.map(({ id }) => id);
    const rows = ids.map((id) => ({ id, roles: [] }));
    const { body } = await send('PATCH', 'users', rows);
    for (const { status } of body.data) assert.ok([200, 403, 404, 409].includes(status), JSON.stringify(body));
    const left = await service.context.database.db.selectFrom('users').select('roles').execute();
    assert.ok(left.some(({ roles }) => roles.includes('admin')));
  });
});
