import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { env, type Person, signedIn } from './people.ts';

const statusesOf = async (responses: readonly Promise<{ status: number }>[]): Promise<number[]> =>
  (await Promise.all(responses)).map(({ status }) => status).sort();

onBothEngines('Concurrent writes of one caller', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env });
  });
  const rename = ({ id }: { id: string }, by: Person, name: string) =>
    request(service, `/v1/users/${id}`, { method: 'PATCH', json: { name }, token: by.token });

  it('do not deadlock', async () => {
    const person = await signedIn(service);
    const many = Array.from({ length: 12 }, (_, i) => rename(person, person, `name ${i}`));
    const others = Array.from({ length: 12 }, (_, i) =>
      request(service, '/v1/owners', { json: { name: `owner ${i}` }, token: person.token }),
    );
    assert.deepEqual(await statusesOf([...many, ...others]), [...Array(12).fill(200), ...Array(12).fill(201)]);
  });

  it('succeed when two administrators change each other', async () => {
    const [one, other] = [await signedIn(service), await signedIn(service)];
    const crossing = Array.from({ length: 4 }, (_, i) => [rename(one, other, `a${i}`), rename(other, one, `b${i}`)]);
    assert.deepEqual(await statusesOf(crossing.flat()), Array(8).fill(200));
  });

  it('end one of two sessions that end each other', async () => {
    const person = await signedIn(service);
    const made = await request<{ data: { id: string; access_token: string } }>(service, '/v1/tokens', {
      json: { name: 'second' },
      token: person.token,
    });
    const second = made.body.data;
    const end = (id: string, token: string) => request(service, `/v1/tokens/${id}`, { method: 'DELETE', token });
    const statuses = await statusesOf([end(second.id, person.token), end(person.sessionId, second.access_token)]);
    assert.deepEqual(statuses, [204, 401]);
  });

  it('log out once', async () => {
    const person = await signedIn(service);
    const statuses = await statusesOf(
      Array.from({ length: 4 }, () => request(service, '/v1/logout', { method: 'DELETE', token: person.token })),
    );
    assert.deepEqual(statuses, [200, 401, 401, 401]);
  });

  it('succeed during a change of the password', async () => {
    const person = await signedIn(service);
    const json = { password: 'another long password', current_password: password };
    const changing = request(service, '/v1/users/me', { method: 'PATCH', json, token: person.token });
    const writing = Array.from({ length: 8 }, () =>
      request(service, '/v1/owners', { json: { name: 'Ada' }, token: person.token }),
    );
    assert.deepEqual(
      await statusesOf([changing, ...writing]),
      [200, ...Array(8).fill(201)],
      'the current session continues',
    );
  });
});

describe('Two instances on one PostgreSQL', () => {
  const start = services('postgres');

  it('commit nothing for a session after its logout was acknowledged on either instance', async () => {
    const shared = { ...env, BASE_URL: 'http://auth.example.com' };
    const one = await start({ env: shared });
    const DATA_DIR = join(one.database.dir, 'elsewhere');
    const other = await start({ env: { ...shared, DATA_DIR }, database: one.database });
    const count = async (name: string) =>
      (
        await one.context.database.db
          .selectFrom('owners' as 'roles')
          .select('id')
          .where('name' as 'id', '=', name)
          .execute()
      ).length;
    for (let round = 0; round < 8; round++) {
      const person = await signedIn(one);
      const name = `round ${round}`;
      const write = () => request(other, '/v1/owners', { json: { name }, token: person.token });
      // More writes than the pool has connections: at the logout, some are running and some are waiting.
      await write();
      const writing = Array.from({ length: 24 }, write);
      const ended = await request(one, '/v1/logout', { method: 'DELETE', token: person.token });
      assert.equal(ended.status, 200);
      const acknowledged = await count(name);
      const statuses = await statusesOf(writing);
      assert.equal(await count(name), acknowledged);
      assert.equal(statuses.filter((status) => status === 201).length, acknowledged - 1);
      assert.ok(
        statuses.every((status) => status === 201 || status === 401),
        statuses.join(),
      );
    }
  });
});
