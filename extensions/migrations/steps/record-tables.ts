import type { KyselyPlugin } from 'kysely';
import type { Tx } from '../../../src/database/database.ts';

export type WatchedTransaction = ReturnType<typeof recordTables>;

export function recordTables(tx: Tx) {
  const texts = new Set<string>();
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (node.kind !== 'SelectQueryNode') texts.add(tx.getExecutor().compileQuery(node, queryId).sql.toLowerCase());
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    tx: tx.withPlugin(plugin),
    /** Whether a statement so far names the table. The statement may only have read it. */
    names: (table: string): boolean => texts.values().some((text) => text.includes(table)),
  };
}
