import type { Context } from '../../src/database/context.ts';
import { deleteCallsBefore } from './call-store.ts';

const day = 86_400_000;

/** Figures go when the events do that they were counted with. */
export const pruneCalls = ({ config, database, now }: Context): Promise<unknown> =>
  deleteCallsBefore(database.db, now() - config.eventRetentionDays * day);
