import type { Context } from '../../src/database/context.ts';
import type { Extension } from '../../src/main/extension.ts';
import { deleteCallsBefore } from './call-store.ts';
import { callsResource } from './calls-resource.ts';
import { serveMcp } from './mcp-routes.ts';

const day = 86_400_000;

/** Figures go when the events do that they were counted with. */
const pruneCalls = ({ config, database, now }: Context): Promise<unknown> =>
  deleteCallsBefore(database.db, now() - config.eventRetentionDays * day);

/** `POST /mcp` and the figures of its use. The protocol's library is loaded by the first request. */
export const mcp: Extension = {
  resources: [callsResource],
  serve: serveMcp,
  maintenance: (context) => [{ name: 'old figures of /mcp', everyMs: 3_600_000, run: () => pruneCalls(context) }],
};
