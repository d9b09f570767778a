import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeDevice } from './device.ts';
import type { PageKit } from './page-kit.ts';
import { asPerson, showSettings, wanted } from './settings-shell.ts';

interface Session {
  readonly id: string;
  readonly client_id: string | null;
  readonly client?: { readonly data: { readonly name: string } | null };
  readonly user_agent: string | null;
  readonly address: string | null;
  readonly last_used_at: string | null;
  readonly created_at: string;
}

export function serveSessions(kit: PageKit): void {
  kit.page('/settings/sessions', 'auth:web', (request, reply) => showSessions(kit, request, reply));
  kit.form('/settings/sessions/:id/end', 'auth:web', async (request, reply) => {
    await endSession(request, (request.params as { id: string }).id);
    return kit.go(reply, '/settings/sessions?done=session-ended');
  });
  kit.form('/settings/sessions/end-others', 'auth:web', async (request, reply) => {
    for (const { id } of await sessionsOf(request)) if (id !== request.caller.sessionId) await endSession(request, id);
    return kit.go(reply, '/settings/sessions?done=others-ended');
  });
}

/** The newest first; more than a hundred at once nobody signs out one by one. */
const sessionsOf = (request: FastifyRequest): Promise<Session[]> => {
  const query = new URLSearchParams({
    search: `type:session;user_id:${request.caller.userId}`,
    orderBy: 'last_used_at',
    sortedBy: 'desc',
    limit: '100',
    count: 'none',
  });
  return wanted(asPerson<Session[]>(request, 'GET', `/v1/tokens?${query}`));
};

/** One that is gone already is what was wanted. */
async function endSession(request: FastifyRequest, id: string): Promise<void> {
  const answer = asPerson(request, 'DELETE', `/v1/tokens/${encodeURIComponent(id)}`);
  if ((await answer).status !== 404) await wanted(answer);
}

async function showSessions(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const items = (await sessionsOf(request)).map((session) => ({
    ...session,
    device: describeDevice(session.user_agent),
    current: session.id === request.caller.sessionId,
    last_used_at: session.last_used_at ?? session.created_at,
  }));
  // The one in use comes first, whatever else was used in the same moment.
  items.sort((a, b) => Number(b.current) - Number(a.current));
  return showSettings(kit, request, reply, 'sessions', 'settings-sessions', { title: 'Sessions', items });
}
