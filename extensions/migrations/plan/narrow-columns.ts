import type { ColumnSchema } from '../../../src/resources/declaration/fields/column-schema.ts';
import { fieldTypeNamed } from '../../../src/resources/declaration/fields/field-types.ts';
import type { Executor } from '../../../src/resources/sql/executor.ts';
import { quoted, raw, sql, sqlTrue } from '../../../src/resources/sql/sql-text.ts';
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
}

/** Rejects the new declaration of a column if rows violate it. The operator must change these rows first. */
export async function narrowColumn(
  plan: TablePlan,
  name: string,
  { before, after, becomesText }: ColumnChange,
): Promise<void> {
  const { executor, resource, table, blockers } = plan;
  if (after.type === 'folded') return;
  const column = raw(becomesText ? `cast(${quoted(name)} as text)` : quoted(name));
  if (after.required && !before?.required && (before || after.default === undefined)) {
    // In a new column, every row is empty.
    const emptyRows = await countRowsWhere(executor, table, before ? sql`${column} is null` : sqlTrue);
    if (emptyRows > 0) {
      const suggestion = after.default === undefined ? 'Give it a default, let' : 'Let';
      const fill = suggestMigration(
        plan,
        `fill-${table}-${name}`,
        `update ${table} set ${name} = … where ${name} is null`,
      );
      blockers.push(
        `${resource}.${after.field}: ${rowsThat(emptyRows, 'have no value in it')}. ${suggestion} it be empty (no \`required\`), or fill it in ${fill}.`,
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
