import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { describeUserAgent, sayUserAgent } from '../../http/user-agent.ts';
import type { ClientDirectory } from '../../oauth/clients/client-directory.ts';
import { type PageKit, readForm } from '../kit/page-kit.ts';
import { asPerson, ignoreNotFound, ownRows, showSettings } from './settings-shell.ts';

interface Session {
  readonly id: string;
  readonly client_id: string | null;
  readonly user_agent: string | null;
  readonly address: string | null;
  readonly last_used_at: string | null;
  readonly created_at: string;
}

export function serveSessions(kit: PageKit, clients: ClientDirectory): void {
  kit.page('/settings/sessions', 'auth:web', (request, reply) => showSessions(kit, clients, request, reply));
  kit.form('/settings/sessions/:id/end', 'auth:web', async (request, reply) => {
    await endSession(request, (request.params as { id: string }).id);
    return kit.go(reply, '/settings/sessions?done=session-ended');
  });
  kit.form('/settings/sessions/end-group', 'auth:web', async (request, reply) => {
    const { group } = readForm(request, 'group');
    const same = (await sessionGroups(clients, request)).find(({ key }) => key === group);
    for (const { id, current } of same?.sessions ?? []) if (!current) await endSession(request, id);
    return kit.go(reply, '/settings/sessions?done=session-ended');
  });
  kit.form('/settings/sessions/end-others', 'auth:web', async (request, reply) => {
    await endOthers(request);
    return kit.go(reply, '/settings/sessions?done=others-ended');
  });
}

/** The newest first; more than a hundred at once nobody signs out one by one. */
const sessionsOf = (request: FastifyRequest): Promise<Session[]> =>
  ownRows(request, 'tokens', 'session', 'last_used_at');

async function endSession(request: FastifyRequest, id: string): Promise<void> {
  await ignoreNotFound(asPerson(request, 'DELETE', `/v1/tokens/${encodeURIComponent(id)}`));
}

/** A page of the list at a time, as long as there are others. */
async function endOthers(request: FastifyRequest): Promise<void> {
  for (;;) {
    const others = (await sessionsOf(request)).filter(({ id }) => id !== request.caller.sessionId);
    if (others.length === 0) return;
    for (const { id } of others) await endSession(request, id);
  }
}

/** Signed in to an application, it is the application that holds the session, wherever the person's browser is. */
async function applicationOf(clients: ClientDirectory, { client_id }: Session): Promise<string | undefined> {
  const client = client_id === null ? undefined : await clients.find(client_id);
  return client?.type === 'application' ? client.name : undefined;
}

/** The sessions of one application, or of one kind of browser. */
interface SessionGroup {
  /** The application, or what the browser says of itself. */
  readonly key: string;
  readonly name: LocalizedText;
  readonly application: boolean;
  readonly current: boolean;
  readonly last_used_at: string;
  readonly sessions: readonly (Session & { readonly current: boolean; readonly last_used_at: string })[];
}

/** The group of the current session comes first. The others are sorted by their last use. */
async function sessionGroups(clients: ClientDirectory, request: FastifyRequest): Promise<SessionGroup[]> {
  const groups = new Map<string, SessionGroup & { sessions: SessionGroup['sessions'][number][] }>();
  for (const session of await sessionsOf(request)) {
    const application = await applicationOf(clients, session);
    const described = describeUserAgent(session.user_agent);
    const key = application === undefined ? JSON.stringify(described) : `application ${session.client_id}`;
    const last_used_at = session.last_used_at ?? session.created_at;
    const one = { ...session, last_used_at, current: session.id === request.caller.sessionId };
    const known = groups.get(key);
    const sessions = [...(known?.sessions ?? []), one].sort((a, b) => Number(b.current) - Number(a.current));
    groups.set(key, {
      key,
      name: application ?? sayUserAgent(described),
      application: application !== undefined,
      current: one.current || known?.current === true,
      last_used_at: known?.last_used_at ?? last_used_at,
      sessions,
    });
  }
  return [...groups.values()].sort((a, b) => Number(b.current) - Number(a.current));
}

async function showSessions(
  kit: PageKit,
  clients: ClientDirectory,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const groups = await sessionGroups(clients, request);
  return showSettings(kit, request, reply, 'sessions', 'settings/sessions', {
    title: message('sessions.title'),
    groups,
    others: groups.reduce((count, { sessions }) => count + sessions.length, 0) - 1,
  });
}
