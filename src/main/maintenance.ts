import type { Context } from '../database/context.ts';
import { pruneSignInData } from '../identity/prune-store.ts';
import { pruneCodes } from '../oauth/authorize/authorization-codes.ts';
import { prunePushedRequests } from '../oauth/authorize/pushed-request-store.ts';
import { pruneProofs } from '../oauth/proofs/used-proof-store.ts';
import { pruneLogins, pruneSessions } from '../oauth/sessions/end-sessions.ts';
import { pruneEvents } from '../resources/audit/prune-events.ts';
import { pruneRuns } from '../resources/queue/prune-runs.ts';
import { pruneIdempotencyKeys } from '../resources/write/idempotency.ts';
import { runInBackground } from './background.ts';
import type { Extension } from './extension.ts';
import type { Services } from './services.ts';

export const scheduleMaintenance = (
  context: Context,
  { verifier, queue, jobs, legacyTokens }: Services,
  extensions: readonly Extension[],
): ReturnType<typeof runInBackground> =>
  runInBackground(context, [
    { name: 'last uses', everyMs: 1000, run: () => verifier.flush() },
    { name: 'used proofs', everyMs: 60_000, run: () => pruneProofs(context) },
    { name: 'old pushed requests', everyMs: 60_000, run: () => prunePushedRequests(context) },
    { name: 'ended sessions', everyMs: 60_000, run: () => pruneSessions(context) },
    { name: 'old throttles and links', everyMs: 60_000, run: () => pruneSignInData(context) },
    { name: 'old authorization codes', everyMs: 60_000, run: () => pruneCodes(context) },
    { name: 'old logins at applications', everyMs: 3_600_000, run: () => pruneLogins(context) },
    { name: 'old idempotency keys', everyMs: 600_000, run: () => pruneIdempotencyKeys(context) },
    { name: 'events log', everyMs: 500, run: async () => context.eventsLog?.flush() },
    { name: 'old events', everyMs: 600_000, run: () => pruneEvents(context) },
    { name: 'failed jobs and queue metrics', everyMs: 10_000, run: () => queue.prune() },
    ...(context.idle ? [] : [{ name: 'scheduled jobs', everyMs: 1000, run: () => jobs.tick() }]),
    { name: 'old runs of scheduled jobs', everyMs: 600_000, run: () => pruneRuns(context) },
    { name: 'expired tokens of an earlier service', everyMs: 600_000, run: () => legacyTokens.prune() },
    ...extensions.flatMap((extension) => extension.maintenance ?? []),
  ]);
