import type { Context } from '../../src/database/context.ts';
import type { CreateExtension } from '../../src/main/extension.ts';
import { deleteCallsBefore } from './call-store.ts';
import { callsResource } from './calls-resource.ts';
import { serveMcp } from './mcp-routes.ts';

const day = 86_400_000;

/** The counts are deleted together with the events of the same time. */
const pruneCalls = ({ config, database, now }: Context): Promise<unknown> =>
  deleteCallsBefore(database.db, now() - config.eventRetentionDays * day);

/** `POST /mcp` and the counts of its use. The first request loads the library of the protocol. */
export const createExtension: CreateExtension = (context, { oauth }) => ({
  resources: [callsResource],
  serve: (app, resources) => serveMcp(app, oauth, resources),
  maintenance: [{ name: 'old figures of /mcp', everyMs: 3_600_000, run: () => pruneCalls(context) }],
});
