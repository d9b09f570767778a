import type { OpenReplicas } from '../database/postgres/postgres.ts';

/** Loads the extension if DATABASE_REPLICA_URLS is set. */
export const openReplicas: OpenReplicas = async (options) => {
  const { PostgresReplicas } = await import('../../extensions/read-replicas/replicas.ts');
  return new PostgresReplicas(options);
};
