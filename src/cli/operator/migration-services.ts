import type { Context } from '../../database/context.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import type { OwnMigrations } from '../../resources/migrations/migrate-resources.ts';
import type { MigrationServices } from '../../resources/operator-migrations/migration-resources.ts';

/** For a trial that is undone in the end: nothing is queued. */
export const trialServices = (context: Context): MigrationServices => ({
  context,
  keys: { mac: () => '', macs: () => [], matches: () => false },
  recordEvent,
  holdAuthority: async (_tx, { caller }) => caller,
  proveByPassword: async ({ caller }) => caller,
  enqueuing: { later: async () => '', mail: async () => undefined },
});

/** Runs work with what the operator's migrations write resources with. It is opened only where one of them is to run. */
export async function withMigrationServices<T>(
  context: Context,
  own: OwnMigrations | undefined,
  work: (services: MigrationServices) => Promise<T>,
): Promise<T> {
  const trial = trialServices(context);
  if (!own || (await own.pending(context.database.db)).length === 0) return work(trial);
  const { createServices } = await import('../../main/services.ts');
  const services = await createServices(context);
  try {
    const { keys, enqueuing } = services;
    return await work({ ...trial, keys: keys.macKeys, enqueuing });
  } finally {
    await services.endThreads();
  }
}
