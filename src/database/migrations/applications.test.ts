import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { addClient } from '../../../test/harness/accounts.ts';
import { databases, onBothEngines } from '../../../test/harness/engines.ts';
import { grantClient } from '../../../test/harness/owners.ts';
import { services } from '../../../test/harness/service.ts';
import { columnTypes } from '../migration.ts';
import { applications } from './013-applications.ts';

onBothEngines('a database from before applications', (engine) => {
  const start = services(engine);
  const database = databases(engine);

  it('keeps its clients, their secrets and sessions, and takes the new type', async () => {
    const shared = await database();
    const service = await start({ database: shared });
    const { id, secret } = await addClient(service, { type: 'personal' });
    assert.equal((await grantClient(service, { id }, secret)).status, 200);
    const { db } = service.context.database;
    // As the version before left it.
    await db.deleteFrom('clients').where('type', '=', 'application').execute();
    const { text } = columnTypes(engine);
    const added = applications.statements(columnTypes(engine)).flatMap((statement) => {
      const [, table, column] = /alter table (\w+) add column (\w+)/.exec(statement) ?? [];
      return table && column && column !== 'any_type' ? [{ table, column }] : [];
    });
    for (const { table, column } of added) {
      await sql.raw(`alter table ${table} drop column ${column}`).execute(db);
    }
    for (const statement of [
      'alter table clients rename column type to any_type',
      `alter table clients add column type ${text} not null default 'personal' check (type in ('password', 'personal'))`,
      'update clients set type = any_type',
      'alter table clients drop column any_type',
    ]) {
      await sql.raw(statement).execute(db);
    }
    await db.deleteFrom('migrations').where('name', '=', applications.name).execute();
    const typesBefore = await sql<{ type: string }>`select type from clients order by id`.execute(db);
    await service.close();

    const later = await start({ database: shared });
    const { db: now } = later.context.database;
    assert.deepEqual(
      (await now.selectFrom('clients').select('type').where('type', '!=', 'application').orderBy('id').execute()).map(
        ({ type }) => type,
      ),
      typesBefore.rows.map(({ type }) => type),
    );
    assert.equal((await grantClient(later, { id }, secret)).status, 200, 'its secret');
    const sessions = await now.selectFrom('sessions').selectAll().where('client_id', '=', id).execute();
    assert.equal(sessions.length, 2);
    assert.deepEqual([sessions[0]?.auth_time, sessions[0]?.amr, sessions[0]?.resource], [null, null, null]);
    await now.updateTable('clients').set({ type: 'application' }).where('id', '=', id).execute();
  });
});
