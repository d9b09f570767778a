import type { ColumnSchema } from '../../../src/resources/declaration/fields/column-schema.ts';
import { fieldTypeNamed } from '../../../src/resources/declaration/fields/field-types.ts';
import type { ColumnWithDefault } from '../../../src/resources/schemas/columns-with-default.ts';
import type { Executor } from '../../../src/resources/sql/executor.ts';
import { quoted, raw, sql, sqlTrue } from '../../../src/resources/sql/sql-text.ts';
import { fillDefault } from '../steps/fill-defaults.ts';
import type { Step } from '../steps/migration-steps.ts';
import { rowsThat } from '../steps/rows-in-words.ts';
import { countRowsWhere } from '../steps/rows-of-table.ts';

export interface TablePlan {
  readonly executor: Executor;
  readonly resource: string;
  readonly table: string;
  readonly steps: Step[];
  readonly blockers: string[];
  /** The first free number for a migration of the operator, such as 002. */
  readonly freeNumber: string;
}

interface ColumnChange {
  /** Undefined: the column does not exist yet. */
  readonly before: ColumnSchema | undefined;
  readonly after: ColumnSchema;
  /** The column becomes a text column before its values are checked. */
  readonly becomesText: boolean;
  /** The column, if it has a default for rows without a value. */
  readonly withDefault: ColumnWithDefault | undefined;
  readonly unique: boolean;
}

/** Fills in the default of a column that becomes required. Rejects the new declaration if rows violate it in another way. */
export async function narrowColumn(
  plan: TablePlan,
  name: string,
  { before, after, becomesText, withDefault, unique }: ColumnChange,
): Promise<void> {
  const { executor, resource, table, steps, blockers } = plan;
  if (after.type === 'folded') return;
  const column = raw(becomesText ? `cast(${quoted(name)} as text)` : quoted(name));
  // Rows were written without an undeclared column, even if it was required.
  const isFilledAgain = before?.unnamed && withDefault;
  if (after.required && (isFilledAgain || !before?.required) && (before || after.default === undefined)) {
    // In a new column, every row is empty.
    const emptyRows = await countRowsWhere(executor, table, before ? sql`${column} is null` : sqlTrue);
    const emptiness = rowsThat(emptyRows, 'have no value in it');
    if (emptyRows > 0 && withDefault) {
      steps.push({
        description: `fill "${table}.${name}" with its default: ${emptiness}`,
        statements: [],
        rowsOnly: true,
        rows: fillDefault(withDefault),
      });
    } else if (emptyRows > 0) {
      const reason = (after.default ?? null) === null ? '' : ', and a default cannot fill a column that is unique';
      const suggestion = after.default === undefined && !unique ? 'Give it a constant default, let' : 'Let';
      const fill = suggestMigration(
        plan,
        `fill-${table}-${name}`,
        `update ${table} set ${name} = … where ${name} is null`,
      );
      blockers.push(
        `${resource}.${after.field}: ${emptiness}${reason}. ${suggestion} it be empty (neither \`required\` nor \`default\`), or fill it in ${fill}.`,
      );
    }
  }
  const narrowings = (before && fieldTypeNamed(after.type)?.narrowings?.(column, before, after)) ?? [];
  for (const { violated, description } of narrowings) {
    const violatingRows = await countRowsWhere(executor, table, violated);
    if (violatingRows === 0) continue;
    const change = suggestMigration(plan, `fit-${table}-${name}`, `update ${table} set ${name} = … where …`);
    blockers.push(
      `${resource}.${after.field}: ${rowsThat(violatingRows, description)}. Undo the change of the declaration, or change the values in ${change}.`,
    );
  }
}

export function suggestMigration({ freeNumber }: TablePlan, name: string, statement: string): string {
  const file = `migrations/${freeNumber}-${name}.ts`.replaceAll('_', '-');
  return `a migration of your own, such as ${file}, with \`${statement}\` (docs/migrations.md)`;
}
