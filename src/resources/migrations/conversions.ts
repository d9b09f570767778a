import type { ColumnSchema } from '../declaration/fields/column-schema.ts';
import { fieldTypeNamed } from '../declaration/fields/field-types.ts';
import { type Executor, readUnprepared, writeOnce } from '../sql/executor.ts';
import { type Fragment, quoted, raw, sql } from '../sql/sql-text.ts';

/** How the stored values of one type become those of another. */
export type Conversion = Fragment | ((stored: unknown) => unknown);

/** Values in a column that another column takes over. */
export interface Converted {
  readonly table: string;
  readonly from: string;
  readonly to: string;
  readonly by: (stored: unknown) => unknown;
}

/** Undefined where something could be lost: then the operator decides. */
export function conversionOf(name: string, old: ColumnSchema, next: ColumnSchema): Conversion | undefined {
  const column = raw(quoted(name));
  const sameTarget = old.references !== undefined && old.references.table === next.references?.table;
  if (sameTarget) return column;
  const [from, to] = [fieldTypeNamed(old.type), fieldTypeNamed(next.type)];
  if (!from || !to?.widens?.includes(old.type) || next.references) return undefined;
  if (from.storage === to.storage && to.name === 'text') return column;
  if (from.name === 'integer') return to.name === 'text' ? sql`cast(${column} as text)` : column;
  // Through the value as callers see it, so that both engines write the same.
  return (stored) => {
    const value = from.fromStored(stored);
    return to.toStored(to.name === 'text' ? String(value) : value);
  };
}

const batch = 1000;

/** Values that SQL would write in another way than we do. */
export async function convertRows(
  executor: Executor,
  { table, from, to, by }: Converted,
  converted: (rows: number) => void = () => undefined,
): Promise<void> {
  const [tableName, source, target] = [table, from, to].map((name) => raw(quoted(name))) as [never, never, never];
  for (let after = ''; ; ) {
    const rows = await readUnprepared<{ id: string; value: unknown }>(
      executor,
      sql`select "id", ${source} as value from ${tableName} where "id" > ${after} and ${source} is not null order by "id" limit ${batch}`,
    );
    for (const { id, value } of rows) {
      await writeOnce(executor, sql`update ${tableName} set ${target} = ${by(value)} where "id" = ${id}`);
    }
    const last = rows.at(-1);
    if (!last) return;
    converted(rows.length);
    after = last.id;
  }
}
