import { type Place, readUnprepared } from '../sql/executor.ts';
import { type Fragment, join, quoted, raw, sql } from '../sql/sql-text.ts';
import type { Step } from './migration-steps.ts';
import type { ColumnSchema } from './storage-schema.ts';

/** A way in which rows that are there break the new declaration of a column. */
interface Narrowing {
  readonly breaks: Fragment;
  readonly says: string;
  /** What makes them fit, losing what does not; undefined when nothing can. */
  readonly mend: Fragment | undefined;
}

/** Plans for values that the new declaration no longer allows. Nothing to do when no row breaks it. */
export async function narrowColumn(
  place: Place,
  resource: string,
  table: string,
  name: string,
  before: ColumnSchema | undefined,
  after: ColumnSchema,
  twin: string | undefined,
  steps: Step[],
  blockers: string[],
): Promise<void> {
  if (after.type === 'folded') return;
  const column = raw(quoted(name));
  for (const { breaks, says, mend } of narrowings(column, before, after)) {
    // A column that is yet to be added holds nothing in any row.
    const condition = before ? sql`where ${breaks}` : raw('');
    const [row] = await readUnprepared<{ n: number }>(
      place,
      sql`select count(*) as n from ${raw(quoted(table))} ${condition}`,
    );
    const broken = row?.n ?? 0;
    if (broken === 0) continue;
    const what = `${broken} rows ${says}`;
    if (mend) {
      // The folded twin, where there is one, is emptied and made again.
      const emptied = raw(twin ? `, ${quoted(twin)} = null` : '');
      steps.push({
        says: `change "${table}.${name}": ${what}`,
        loses: `${resource}.${after.field}`,
        statements: [sql`update ${raw(quoted(table))} set ${column} = ${mend}${emptied} where ${breaks}`],
        ...(twin ? { fill: { table, from: name, twin } } : {}),
      });
    } else {
      blockers.push(`${resource}.${after.field}: ${what}. Give it a default, or let it be empty (no \`required\`).`);
    }
  }
}

function narrowings(column: Fragment, before: ColumnSchema | undefined, after: ColumnSchema): Narrowing[] {
  const found: Narrowing[] = [];
  if (after.required && !before?.required && after.default === undefined) {
    found.push({
      breaks: sql`${column} is null`,
      says: 'have no value in it and would get an empty one',
      mend: emptyValue(after),
    });
  } else if (after.required && before && !before.required) {
    found.push({
      breaks: sql`${column} is null`,
      says: 'have no value in it and would get the default',
      mend: sql`${after.default}`,
    });
  }
  if (!before) return found;
  const { max, min, values } = after;
  if (after.type === 'text' && max !== undefined && (before.max ?? Number.POSITIVE_INFINITY) > max) {
    found.push({
      breaks: sql`length(${column}) > ${max}`,
      says: `have more than ${max} characters in it and would be cut`,
      mend: sql`substr(${column}, 1, ${max})`,
    });
  }
  if (after.storage !== 'text' && max !== undefined && (before.max ?? Number.POSITIVE_INFINITY) > max) {
    found.push({
      breaks: sql`${column} > ${max}`,
      says: `are above ${max} in it and would be set to that`,
      mend: sql`${max}`,
    });
  }
  if (after.storage !== 'text' && min !== undefined && (before.min ?? Number.NEGATIVE_INFINITY) < min) {
    found.push({
      breaks: sql`${column} < ${min}`,
      says: `are below ${min} in it and would be set to that`,
      mend: sql`${min}`,
    });
  }
  if (
    (values && !(before.values ?? []).every((value) => values.includes(value))) ||
    (values && before.type !== 'enum')
  ) {
    const list = join(
      values.map((value) => sql`${value}`),
      ', ',
    );
    const instead = after.default ?? (after.required ? values[0] : null);
    found.push({
      breaks: sql`${column} not in (${list})`,
      says: `hold a value that is no longer allowed and would hold ${instead === null ? 'none' : `"${instead}"`}`,
      mend: sql`${instead}`,
    });
  }
  return found;
}

/** What a required column holds where nobody ever said anything. */
function emptyValue({ type, values, min }: ColumnSchema): Fragment | undefined {
  switch (type) {
    case 'text':
      return sql`${''}`;
    case 'integer':
    case 'number':
      return sql`${Math.max(0, min ?? 0)}`;
    case 'boolean':
    case 'timestamp':
      return sql`${0}`;
    case 'date':
      return sql`${'1970-01-01'}`;
    case 'enum':
      return sql`${values?.[0]}`;
    case 'json':
      return sql`${'{}'}`;
    case 'list':
      return sql`${'[]'}`;
    default:
      return undefined;
  }
}
