import type { Engine } from '../../../database/database.ts';
import { addColumn, addReference, createTable, type Step } from '../migration-steps.ts';
import type { TableSchema } from '../storage-schema.ts';
import type { Snapshots } from './plan-migrations.ts';

/**
 * Plans new tables and columns without their constraints, so that the operator's migrations can fill them. Required and unique fields are
 * checked after those migrations.
 */
export function planAdditions(engine: Engine, stored: Snapshots, wanted: Snapshots) {
  const steps: Step[] = [];
  const schemas = new Map(stored);
  const withoutConstraints = ({ columns }: TableSchema): TableSchema['columns'] =>
    Object.fromEntries(
      Object.entries(columns).map(([name, { default: _default, ...column }]) => [name, { ...column, required: false }]),
    );
  const isNew = [...wanted].filter(([name]) => !stored.has(name));
  for (const [, schema] of isNew) steps.push(createTable(engine, schema));
  for (const [name, schema] of isNew) {
    for (const [column, of] of Object.entries(schema.columns)) {
      steps.push(...addReference(engine, schema.table, column, of));
    }
    schemas.set(name, { ...schema, columns: withoutConstraints(schema), indexes: {} });
  }
  for (const [name, schema] of wanted) {
    const before = stored.get(name);
    if (!before || before.table !== schema.table) continue;
    const added = Object.entries(schema.columns).filter(([column]) => !before.columns[column]);
    for (const [column, of] of added) steps.push(...addColumn(engine, schema.table, column, of));
    const columns = withoutConstraints({ ...schema, columns: Object.fromEntries(added) });
    schemas.set(name, { ...before, columns: { ...before.columns, ...columns } });
  }
  return { steps, schemas };
}
