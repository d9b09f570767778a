import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createPostgres, type PostgresServer } from '../harness/postgres-server.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import type { Change } from './event-reader.ts';

const resources = new URL('./resources', import.meta.url).pathname;

interface Page {
  data: Change[];
  meta: { changes_position: string };
}

/** After a crash, PostgreSQL assigns positions and transaction ids again that were used but not committed. */
describe('Positions from before a crash of PostgreSQL', () => {
  let postgres: PostgresServer;
  let service: Service;
  let token: string;
  const start = services('postgres');
  before(async () => {
    // Only commits write to the disk.
    postgres = await createPostgres(['-c', 'wal_writer_delay=10000', '-c', 'autovacuum=off']);
    const { TEST_POSTGRES_URL } = process.env;
    process.env.TEST_POSTGRES_URL = postgres.url;
    service = await start({ env: { RESOURCES_DIR: resources } }).finally(() =>
      Object.assign(process.env, { TEST_POSTGRES_URL }),
    );
    token = await logIn(service, 'admin@example.com', 'correct horse battery');
  });
  after(async () => {
    await service.close();
    await postgres.remove();
  });

  const make = (plate: string) => request<{ data: { id: string } }>(service, '/v1/cars', { json: { plate }, token });
  const read = async (path: string) => (await request<Page>(service, path, { token })).body;

  /** Uses up positions and transaction ids without a commit. */
  async function undo(id: string): Promise<void> {
    const client = new pg.Client({ connectionString: service.database.url });
    await client.connect();
    await client.query('begin');
    for (let i = 0; i < 100; i++) await client.query('update cars set seats = seats + 1 where id = $1', [id]);
    await client.query('rollback');
    for (let i = 0; i < 100; i++) await client.query('select pg_current_xact_id()');
    await client.end();
  }

  it('are valid for changes after the crash', async () => {
    const { body } = await make('C 0');
    const committed = await read('/v1/changes?resources=cars');
    await undo(body.data.id);
    const [list, page] = [await read('/v1/cars'), await read('/v1/changes?resources=cars')];
    assert.equal(page.meta.changes_position, committed.meta.changes_position, 'the position of the last change');
    await postgres.kill();
    await postgres.start();
    const written: string[] = [];
    while (written.length < 3) {
      const made = await make(`C ${written.length + 1}`).catch(() => undefined);
      if (made?.status === 201) written.push(made.body.data.id);
    }
    for (const { meta } of [list, page]) {
      const { data } = await read(`/v1/changes?resources=cars&after=${meta.changes_position}`);
      assert.deepEqual(
        data.map(({ id }) => id),
        written,
      );
    }
  });
});
