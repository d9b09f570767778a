import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { services } from '../harness/service.ts';

onBothEngines('Deleting a row that others refer to', (engine) => {
  const start = services(engine);

  it('names only the rows that block it, not those that would be deleted with it', async () => {
    const service = await start({ env: { RESOURCES_DIR: join(import.meta.dirname, 'resources') } });
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    const person = await registerUser(service);
    // Sessions, a personal access token, a client and events of the user do not block the deletion.
    await request(service, '/v1/clients', { json: { name: 'Reports' }, token: person.token });
    const made = await request(service, '/v1/ledgers', { json: { title: 'Books' }, token: person.token });
    assert.equal(made.status, 201);
    const refused = await request<{ detail: string; code: string }>(service, `/v1/users/${person.id}`, {
      method: 'DELETE',
      token: admin,
    });
    assert.deepEqual([refused.status, refused.body.code], [409, 'still_referred_to']);
    assert.match(refused.body.detail, /still referred to by ledgers \(user_id\)\./);
  });
});
