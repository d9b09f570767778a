import type { Extension } from '../../src/main/extension.ts';
import { callsResource } from './calls-resource.ts';
import { serveMcp } from './mcp-routes.ts';
import { pruneCalls } from './prune-calls.ts';

/** `POST /mcp` and the figures of its use. The protocol's library is loaded by the first request. */
export const mcp: Extension = {
  resources: [callsResource],
  serve: serveMcp,
  maintenance: (context) => [{ name: 'old figures of /mcp', everyMs: 3_600_000, run: () => pruneCalls(context) }],
};
