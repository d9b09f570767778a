import { sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Db } from '../database.ts';
import { withMigrationLock } from '../locks/migration-lock.ts';
import { type SealedColumn, sealedColumns } from './sealed-columns.ts';
import type { Sealing } from './sealing.ts';

/** The data of a job can be 1 MiB long. */
const batchSize = 100;

interface SealedRow {
  readonly id: string;
  readonly named: string;
  readonly value: string;
}

/**
 * Encrypts all values again that were encrypted with an earlier secret. After an interruption, the next start does the rest. Instances may
 * do this at the same time: a value is only replaced if nobody has changed it meanwhile.
 */
export async function resealAll(context: Pick<Context, 'database' | 'log'>, sealing: Sealing): Promise<void> {
  // Usually there is no earlier secret. Then the start does not read these tables.
  const prefix = sealing.hasEarlierSecret ? sealing.prefix() : undefined;
  if (prefix === undefined) return;
  for (const sealed of sealedColumns) await resealColumn(context, sealing, sealed, sealed.mark + prefix);
}

async function resealColumn(
  { database, log }: Pick<Context, 'database' | 'log'>,
  sealing: Sealing,
  sealed: SealedColumn,
  prefix: string,
): Promise<void> {
  let [changed, unreadable] = [0, 0];
  for (let after = ''; ; ) {
    const rows = await rowsWithoutPrefix(database.db, sealed, prefix, after);
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
    const replacements = rows.flatMap((row) => {
      const replacement = resealed(sealing, sealed, row);
      return replacement === undefined ? [] : [sql`(${row.id}, ${row.value}, ${replacement})`];
    });
    unreadable += rows.length - replacements.length;
    if (replacements.length === 0) continue;
    const column = sql.ref(sealed.column);
    changed += await withMigrationLock(database, async (tx) => {
      const { numAffectedRows } = await sql`
        with replacements (row_id, old_value, new_value) as (values ${sql.join(replacements)})
        update ${sql.table(sealed.table)} set ${column} = new_value from replacements
        where id = row_id and ${column} = old_value`.execute(tx);
      return Number(numAffectedRows);
    });
  }
  const where = { table: sealed.table, column: sealed.column };
  if (changed > 0) log.info({ ...where, values: changed }, 'values were encrypted again with the current secret');
  if (unreadable > 0)
    log.warn({ ...where, values: unreadable }, 'values were encrypted with an unknown secret and cannot be decrypted');
}

/** The number of values in a column that this service cannot decrypt. */
export async function countUnreadable(db: Db, sealing: Sealing, sealed: SealedColumn): Promise<number> {
  let unreadable = 0;
  for (let after = ''; ; ) {
    const rows = await rowsWithoutPrefix(db, sealed, undefined, after);
    const last = rows.at(-1);
    if (!last) return unreadable;
    after = last.id;
    unreadable += rows.filter((row) => !opened(sealing, sealed, row)).length;
  }
}

/** The next values that do not begin with the prefix. Without a prefix: all. */
async function rowsWithoutPrefix(
  db: Db,
  { table, column, labelColumn, mark }: SealedColumn,
  prefix: string | undefined,
  after: string,
): Promise<SealedRow[]> {
  const beginsWith = (text: string) => sql`substr(${sql.ref(column)}, 1, ${sql.lit(text.length)}) = ${text}`;
  const { rows } = await sql<SealedRow>`
    select id, ${sql.ref(labelColumn)} as named, ${sql.ref(column)} as value from ${sql.table(table)}
    where id > ${after} and ${beginsWith(mark)} ${prefix === undefined ? sql`` : sql`and not ${beginsWith(prefix)}`}
    order by id limit ${sql.lit(batchSize)}`.execute(db);
  return rows;
}

/** Undefined if the value cannot be decrypted. */
function opened(sealing: Sealing, { label, mark }: SealedColumn, { named, value }: SealedRow): Buffer | undefined {
  try {
    return sealing.open(value.slice(mark.length), label(named)).content;
  } catch {
    return undefined;
  }
}

function resealed(sealing: Sealing, sealed: SealedColumn, row: SealedRow): string | undefined {
  const content = opened(sealing, sealed, row);
  return content && sealed.mark + sealing.seal(content, sealed.label(row.named));
}
