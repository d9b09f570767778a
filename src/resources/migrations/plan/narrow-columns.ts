import type { ColumnSchema, Narrowing } from '../../declaration/fields/column-schema.ts';
import { fieldTypeNamed } from '../../declaration/fields/field-types.ts';
import type { Executor } from '../../sql/executor.ts';
import { type Fragment, quoted, raw, sql, truth } from '../../sql/sql-text.ts';
import { mendRows } from '../mend-rows.ts';
import type { Step } from '../migration-steps.ts';
import { rowsThat } from '../rows-in-words.ts';
import { countRowsWhere } from '../rows-of-table.ts';

export interface TablePlan {
  readonly executor: Executor;
  readonly resource: string;
  readonly table: string;
  readonly steps: Step[];
  readonly blockers: string[];
}

interface ColumnChange {
  /** Undefined: the column is yet to be added. */
  readonly before: ColumnSchema | undefined;
  readonly after: ColumnSchema;
  readonly folded: string | undefined;
  /** It becomes a text before its values are looked at. */
  readonly becomesText?: boolean;
  readonly isRecast?: boolean;
}

/** Plans for values that the new declaration no longer allows. Nothing to do when no row breaks it. */
export async function narrowColumn(
  { executor, resource, table, steps, blockers }: TablePlan,
  name: string,
  { before, after, folded, becomesText = false, isRecast = false }: ColumnChange,
): Promise<void> {
  if (after.type === 'folded') return;
  const column = raw(becomesText ? `cast(${quoted(name)} as text)` : quoted(name));
  for (const { breaks, says, mend, fills, advice } of narrowings(column, before, after)) {
    // A column that does not exist yet is empty in every row.
    const broken = await countRowsWhere(executor, table, before ? breaks : truth);
    if (broken === 0) continue;
    const what = rowsThat(broken, says);
    const fillBy = fills ? fillingMigration(table, name) : undefined;
    if (mend) {
      const [says, loses] = [`change "${table}.${name}": ${what}`, `${resource}.${after.field}`];
      const isPostgres = executor.engine === 'postgres';
      if (!before && isPostgres) {
        // The column is added with the value in every row.
        steps.push({ says, loses, ...(fillBy ? { fillBy } : {}), statements: [] });
        continue;
      }
      // The folded column, where there is one, is emptied and made again.
      const emptied = raw(folded ? `, ${quoted(folded)} = null` : '');
      const mended = { table, name, folded, breaks, mend };
      steps.push({
        says,
        loses,
        ...(fillBy ? { fillBy } : {}),
        statements: [sql`update ${raw(quoted(table))} set ${raw(quoted(name))} = ${mend}${emptied} where ${breaks}`],
        ...(folded ? { fill: { table, from: name, folded } } : {}),
        ...(isPostgres && !isRecast
          ? { beside: { table, run: (on: Executor, done: (rows: number) => void) => mendRows(on, mended, done) } }
          : {}),
      });
    } else {
      const mends =
        advice ?? `Give it a default, or let it be empty (no \`required\`)${fillBy ? `, or ${fillBy}` : ''}.`;
      blockers.push(`${resource}.${after.field}: ${what}. ${mends}`);
    }
  }
}

/** Says which migration of the operator's own would give every row a value. */
function fillingMigration(table: string, name: string): string {
  const file = `migrations/001-fill-${table}-${name}`.replaceAll('_', '-');
  const statement = `update ${table} set ${name} = … where ${name} is null`;
  return `fill it in a migration of your own, such as ${file}.ts, with \`${statement}\` (docs/migrations.md)`;
}

interface RowsToChange extends Narrowing {
  /** A migration of the operator's own can give these rows a value first. */
  readonly fills?: true;
}

function narrowings(column: Fragment, before: ColumnSchema | undefined, after: ColumnSchema): RowsToChange[] {
  const type = fieldTypeNamed(after.type);
  const found: RowsToChange[] = [];
  if (after.required && !before?.required && after.default === undefined) {
    const empty = type?.emptyValue(after);
    found.push({
      breaks: sql`${column} is null`,
      fills: true,
      says: `have no value in it${empty === undefined ? '' : ' and would get an empty one (a default would fill them)'}`,
      mend: empty === undefined ? undefined : sql`${empty}`,
    });
  } else if (after.required && before && !before.required) {
    found.push({
      breaks: sql`${column} is null`,
      says: 'have no value in it and would get the default',
      mend: sql`${after.default}`,
    });
  }
  return before ? [...found, ...(type?.narrowings?.(column, before, after) ?? [])] : found;
}
