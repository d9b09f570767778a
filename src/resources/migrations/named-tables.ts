import type { KyselyPlugin, OperationNode } from 'kysely';
import type { Tx } from '../../database/database.ts';

export interface WatchedTransaction {
  readonly tx: Tx;
  /** Whether a statement so far names the table. It may only have read it. */
  names(table: string): boolean;
}

export function watchTables(tx: Tx): WatchedTransaction {
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

/** Collects names of tables and columns, and raw SQL. It skips values, because there may be many. */
function collect(node: unknown, identifiers: Set<string>, texts: string[]): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) collect(item, identifiers, texts);
    return;
  }
  const { kind } = node as OperationNode;
  if (kind === 'ValueNode' || kind === 'PrimitiveValueListNode') return;
  if (kind === 'IdentifierNode') identifiers.add((node as { name: string }).name.toLowerCase());
  if (kind === 'RawNode')
    texts.push((node as unknown as { sqlFragments: string[] }).sqlFragments.join(' ').toLowerCase());
  for (const part of Object.values(node)) collect(part, identifiers, texts);
}
