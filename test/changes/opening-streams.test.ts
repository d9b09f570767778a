import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { EventReader } from './event-reader.ts';

const resources = new URL('./resources', import.meta.url).pathname;

/**
 * The message after a restart of PostgreSQL: an instance that lost its connection does not know which invalidations it
 * missed.
 */
const everything = JSON.stringify(['cut off', ['everything', '']]);

describe('A stream that is opened while the instance may have missed a revocation', () => {
  const opened: EventReader[] = [];
  const clients: pg.Client[] = [];
  // Runs before the database is removed.
  after(async () => {
    for (const reader of opened) reader.close();
    for (const client of clients) await client.end();
  });
  const start = services('postgres');
  let service: Service;
  let token: string;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resources } });
    token = await logIn(service, 'admin@example.com', 'correct horse battery');
  });

  const connect = async () => {
    const client = new pg.Client({ connectionString: service.database.url });
    await client.connect();
    clients.push(client);
    return client;
  };
  const open = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const reader = await EventReader.open(`${service.url}/v1/changes?resources=cars`, headers);
    opened.push(reader);
    return reader;
  };
  const streamIsAdded = async () => /^gatehouse_change_streams 1$/m.test((await request(service, '/metrics')).text);

  it('gets 503, and signs nobody out', async () => {
    const [locker, notifier] = [await connect(), await connect()];
    await notifier.query('listen gatehouse_heard');
    // From here on, the token is in the cache.
    assert.equal((await request(service, '/v1/users/me', { token })).status, 200);
    await locker.query('begin');
    await locker.query('lock table sessions in access exclusive mode');
    const opening = open();
    // Opening reads the session once more, which waits for the lock.
    while (!(await streamIsAdded()));
    const heard = once(notifier, 'notification');
    await notifier.query('select pg_notify($1, $2)', ['gatehouse_changes', everything]);
    await heard;
    await locker.query('rollback');
    const refused = await opening;
    assert.equal(refused.response.status, 503);
    assert.equal(refused.response.headers.get('retry-after'), '1');

    const again = await open();
    assert.equal(again.response.status, 200);
    const { body } = await request<{ data: { id: string } }>(service, '/v1/cars', { json: { plate: 'O 1' }, token });
    assert.equal((await again.change()).id, body.data.id);
  });
});
