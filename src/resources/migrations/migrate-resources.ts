import type { Database, Tx } from '../../database/database.ts';
import { underMigrationLock } from '../../database/migrate.ts';
import { OperatorError } from '../../errors.ts';
import { checkDefinitions } from '../declaration/check-definitions.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import { fold } from '../declaration/fields/folding.ts';
import { type Executor, readUnprepared, writeOnce } from '../sql/executor.ts';
import { quoted, raw, sql } from '../sql/sql-text.ts';
import type { Step } from './migration-steps.ts';
import { type MigrationPlan, planMigrations, type Snapshots } from './plan-migrations.ts';
import { type TableSchema, tableSchema } from './storage-schema.ts';

interface Options {
  /** What may be lost: `cars.color`, or `cars` for the table of a resource that is no longer declared. */
  readonly allowLoss?: readonly string[];
  readonly now?: () => number;
}

function wantedSchemas(definitions: readonly ResourceDefinition[]): Snapshots {
  const tables = new Map(definitions.map(({ name, table = name }) => [name, table]));
  return new Map(
    definitions
      .filter(({ managed }) => managed)
      .map((definition) => [definition.name, tableSchema(definition, tables)]),
  );
}

async function storedSchemas(tx: Tx): Promise<Map<string, TableSchema>> {
  const rows = await tx.selectFrom('resource_schemas').select(['name', 'declaration']).execute();
  return new Map(rows.map(({ name, declaration }) => [name, JSON.parse(declaration) as TableSchema]));
}

/** What a start or `gatehouse migrate` would do to the tables of the declared resources. Changes nothing. */
export async function planResourceMigrations(
  database: Database,
  definitions: readonly ResourceDefinition[],
): Promise<MigrationPlan> {
  checkDefinitions(definitions);
  return underMigrationLock(database, async (tx) =>
    planMigrations({ engine: database.engine, db: tx }, await storedSchemas(tx), wantedSchemas(definitions)),
  );
}

/**
 * Brings the tables to the declarations and returns what it did, in words. What would lose data is refused, with the
 * plan and the command that does it on purpose; then nothing has changed.
 */
export async function applyResourceMigrations(
  database: Database,
  definitions: readonly ResourceDefinition[],
  { allowLoss = [], now = database.now }: Options = {},
): Promise<string[]> {
  checkDefinitions(definitions);
  const wanted = wantedSchemas(definitions);
  return underMigrationLock(database, async (tx) => {
    const executor: Executor = { engine: database.engine, db: tx };
    const stored = await storedSchemas(tx);
    const abandoned = [...stored].filter(([name]) => !wanted.has(name) && allowLoss.includes(name));
    const plan = await planMigrations(executor, stored, wanted);
    const steps = [...plan.steps, ...abandoned.map(([name, schema]) => dropTable(name, schema))];
    refuse({ ...plan, steps }, allowLoss);
    for (const step of steps) await perform(executor, step);
    for (const [name, schema] of wanted) {
      const declaration = JSON.stringify(schema);
      if (JSON.stringify(stored.get(name)) === declaration) continue;
      await tx
        .insertInto('resource_schemas')
        .values({ name, declaration, updated_at: now() })
        .onConflict((clash) => clash.column('name').doUpdateSet({ declaration, updated_at: now() }))
        .execute();
    }
    for (const [name] of abandoned) await tx.deleteFrom('resource_schemas').where('name', '=', name).execute();
    return steps.map(({ says }) => says);
  });
}

const dropTable = (name: string, { table }: TableSchema): Step => ({
  says: `drop the table "${table}" of ${name}, which is no longer declared`,
  loses: name,
  statements: [raw(`drop table ${quoted(table)}`)],
});

function refuse({ steps, blockers }: MigrationPlan, allowLoss: readonly string[]): void {
  const losing = [...new Set(steps.map(({ loses }) => loses).filter((loss) => loss !== undefined))];
  const refused = losing.filter((loss) => !allowLoss.includes(loss));
  const needless = allowLoss.filter((loss) => !losing.includes(loss));
  if (needless.length > 0) {
    throw new OperatorError(
      `--allow-loss ${needless.join(' ')}: nothing would be lost there.${losing.length > 0 ? ` What would be lost is: ${losing.join(', ')}.` : ''}`,
    );
  }
  if (blockers.length > 0) {
    throw new OperatorError(`The stored rows do not fit the declared resources:\n  ${blockers.join('\n  ')}`);
  }
  if (refused.length === 0) return;
  throw new OperatorError(
    [
      'Bringing the tables to the declared resources would lose data. Nothing was changed. The plan:',
      ...steps.map(({ says, loses }) => `  ${loses ? '!' : '+'} ${says}`),
      'Undo the change of the declaration, or take a backup and do it on purpose:',
      `  gatehouse migrate --allow-loss ${losing.join(' ')}`,
    ].join('\n'),
  );
}

async function perform(executor: Executor, { statements, fill }: Step): Promise<void> {
  for (const statement of statements) await writeOnce(executor, statement);
  if (fill) await fillFolded(executor, fill);
}

/** Folding is ours, not the database's: rows that were there before a field became searchable are folded here. */
async function fillFolded(executor: Executor, { table, from, folded }: NonNullable<Step['fill']>): Promise<void> {
  const [tableName, source, target] = [table, from, folded].map((name) => raw(quoted(name))) as [never, never, never];
  for (let after = ''; ; ) {
    const rows = await readUnprepared<{ id: string; value: string }>(
      executor,
      sql`select "id", ${source} as value from ${tableName} where "id" > ${after} and ${source} is not null and ${target} is null order by "id" limit 1000`,
    );
    for (const { id, value } of rows) {
      await writeOnce(executor, sql`update ${tableName} set ${target} = ${fold(value)} where "id" = ${id}`);
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}
