import {
  IdentifierNode,
  type KyselyPlugin,
  type OperationNode,
  PrimitiveValueListNode,
  RawNode,
  ValueNode,
} from 'kysely';
import type { Tx } from '../../database/database.ts';

export interface WatchedTransaction {
  readonly tx: Tx;
  /** Whether a statement so far names the table. The statement may only have read it. */
  names(table: string): boolean;
}

export function recordTables(tx: Tx): WatchedTransaction {
  const identifiers = new Set<string>();
  const texts: string[] = [];
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (node.kind !== 'SelectQueryNode') collect(node, identifiers, texts);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    tx: tx.withPlugin(plugin),
    names: (table) => identifiers.has(table) || texts.some((text) => text.includes(table)),
  };
}

const isNode = (value: object): value is OperationNode => 'kind' in value;

/** Collects names of tables and columns, and raw SQL. Skips values, because there may be many. */
function collect(node: unknown, identifiers: Set<string>, texts: string[]): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) collect(item, identifiers, texts);
    return;
  }
  if (isNode(node)) {
    if (ValueNode.is(node) || PrimitiveValueListNode.is(node)) return;
    if (IdentifierNode.is(node)) identifiers.add(node.name.toLowerCase());
    if (RawNode.is(node)) texts.push(node.sqlFragments.join(' ').toLowerCase());
  }
  for (const part of Object.values(node)) collect(part, identifiers, texts);
}
