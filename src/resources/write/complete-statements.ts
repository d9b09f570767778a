import {
  AliasNode,
  ColumnNode,
  ColumnUpdateNode,
  IdentifierNode,
  InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  ReferenceNode,
  sql,
  TableNode,
  UpdateQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely';
import { uuidv7 } from '../../database/uuid.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import { fold } from '../declaration/fields/folding.ts';
import type { Resources } from '../model/resource.ts';
import { quoted } from '../sql/sql-text.ts';

/** For a table of a declared resource: the text columns and their folded columns. */
type FoldedColumns = ReadonlyMap<string, string>;

const tablesByResources = new WeakMap<Resources, ReadonlyMap<string, FoldedColumns>>();

/**
 * A plugin for the database handle of the operator's code. Writes of the query builder to the table of a declared resource also write the
 * columns that the API would write: the id, folded text, the version and `updated_at`. Raw SQL is not changed.
 */
export function completeStatementsPlugin(resources: Resources, now: () => number): KyselyPlugin {
  const tables = getOrCreate(tablesByResources, resources, managedTables);
  return {
    transformQuery({ node }) {
      if (InsertQueryNode.is(node)) return completeInsert(node, tables, now());
      if (UpdateQueryNode.is(node)) return completeUpdate(node, tables, now());
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

function managedTables(resources: Resources): ReadonlyMap<string, FoldedColumns> {
  const managed = [...resources.values()].filter(({ definition }) => definition.managed);
  return new Map(
    managed.map(({ definition: { name, table = name }, stored }) => [
      table,
      new Map(stored.flatMap(({ column, foldedColumn }) => (foldedColumn ? [[column, foldedColumn]] : []))),
    ]),
  );
}

const nameOf = (node: OperationNode | undefined) => (node && TableNode.is(node) ? node.table.identifier.name : '');

function writtenTable(node: OperationNode | undefined): { readonly table: string; readonly alias: string } {
  if (!node || !AliasNode.is(node)) return { table: nameOf(node), alias: nameOf(node) };
  return { table: nameOf(node.node), alias: IdentifierNode.is(node.alias) ? node.alias.name : nameOf(node.node) };
}

const columnName = (node: OperationNode): string =>
  ColumnNode.is(node) ? node.column.name : ReferenceNode.is(node) ? columnName(node.column) : '';

function completeInsert(node: InsertQueryNode, tables: ReadonlyMap<string, FoldedColumns>, now: number) {
  const table = nameOf(node.into);
  const folded = tables.get(table);
  if (!folded || !node.columns) return node;
  const names = node.columns.map(columnName);
  const missing = [...folded].filter(([from, to]) => names.includes(from) && !names.includes(to));
  const { onConflict } = node;
  const conflict = onConflict?.updates && {
    ...onConflict,
    updates: completeUpdates(onConflict.updates, { table, folded, alias: table, now }),
  };
  const values = node.values && ValuesNode.is(node.values) ? node.values : undefined;
  if (!values) {
    if (missing[0]) throw missingColumnError(table, missing[0]);
    return conflict ? { ...node, onConflict: conflict } : node;
  }
  const addsId = !names.includes('id');
  const rows = values.values.map((row) => {
    const nodes = ValueListNode.is(row) ? row.values : row.values.map((value) => ValueNode.create(value));
    const addedNodes = missing.map((pair) => foldedNode(nodes[names.indexOf(pair[0])] as OperationNode, table, pair));
    return ValueListNode.create([...nodes, ...addedNodes, ...(addsId ? [ValueNode.create(uuidv7(now))] : [])]);
  });
  const addedColumns = [...missing.map(([, to]) => to), ...(addsId ? ['id'] : [])].map((name) =>
    ColumnNode.create(name),
  );
  return {
    ...node,
    columns: [...node.columns, ...addedColumns],
    values: ValuesNode.create(rows),
    ...(conflict ? { onConflict: conflict } : {}),
  };
}

function completeUpdate(node: UpdateQueryNode, tables: ReadonlyMap<string, FoldedColumns>, now: number) {
  const { table, alias } = writtenTable(node.table);
  const folded = tables.get(table);
  if (!folded || !node.updates) return node;
  return { ...node, updates: completeUpdates(node.updates, { table, folded, alias, now }) };
}

interface UpdatedTable {
  readonly table: string;
  readonly folded: FoldedColumns;
  /** The alias of the table in the statement. */
  readonly alias: string;
  readonly now: number;
}

function completeUpdates(updates: readonly ColumnUpdateNode[], { table, folded, alias, now }: UpdatedTable) {
  const updatedColumns = new Map(updates.map(({ column, value }) => [columnName(column), value]));
  const columnUpdate = (name: string, value: OperationNode) => ColumnUpdateNode.create(ColumnNode.create(name), value);
  const addedUpdates = [...folded].flatMap((pair) => {
    const value = updatedColumns.get(pair[0]);
    return value && !updatedColumns.has(pair[1]) ? [columnUpdate(pair[1], foldedNode(value, table, pair))] : [];
  });
  if (!updatedColumns.has('version'))
    addedUpdates.push(columnUpdate('version', sql.raw(`${quoted(alias)}."version" + 1`).toOperationNode()));
  if (!updatedColumns.has('updated_at')) addedUpdates.push(columnUpdate('updated_at', ValueNode.create(now)));
  return [...updates, ...addedUpdates];
}

/** The folded form of a value. For a column of `excluded`, its folded column. */
function foldedNode(node: OperationNode, table: string, pair: readonly [from: string, to: string]): OperationNode {
  if (node.kind === 'DefaultInsertValueNode') return node;
  if (ReferenceNode.is(node) && nameOf(node.table) === 'excluded' && columnName(node) === pair[0]) {
    return ReferenceNode.create(ColumnNode.create(pair[1]), node.table);
  }
  if (!ValueNode.is(node)) throw missingColumnError(table, pair);
  const { value } = node;
  return ValueNode.create(typeof value === 'string' ? fold(value) : null);
}

const missingColumnError = (table: string, [from, to]: readonly [string, string]): Error =>
  new Error(
    `${table}.${from} gets its value from an expression, so Gatehouse cannot fold it. Write ${to} too, with fold() from gatehouse-server/resources.`,
  );
