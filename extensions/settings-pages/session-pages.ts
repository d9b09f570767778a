import { message } from '../../src/config/languages/message.ts';
import { describeUserAgent, localizeUserAgent } from '../../src/http/user-agent.ts';
import type { Page, PageRequest } from '../../src/pages/kit/page-request.ts';
import { deleteAsUser, ownRows, removal, showSettings } from './settings-shell.ts';

interface Session {
  readonly id: string;
  readonly client_id: string | null;
  readonly user_agent: string | null;
  readonly address: string | null;
  readonly last_used_at: string | null;
  readonly created_at: string;
}

export const endOneSession = removal('tokens', '/settings/sessions?done=session-ended');

export async function endGroup(pageRequest: PageRequest): Page {
  const { group } = pageRequest.form('group');
  const same = (await sessionGroups(pageRequest)).find(({ key }) => key === group);
  for (const { id, current } of same?.sessions ?? []) if (!current) await endSession(pageRequest, id);
  return pageRequest.redirect('/settings/sessions?done=session-ended');
}

/** The newest hundred sessions. */
const sessionsOf = (pageRequest: PageRequest): Promise<Session[]> =>
  ownRows(pageRequest, 'tokens', 'session', 'last_used_at');

const endSession = (pageRequest: PageRequest, id: string) => deleteAsUser(pageRequest, `/v1/tokens/${id}`);

/** Ends the other sessions, page by page, until none is left. */
export async function endOtherSessions(pageRequest: PageRequest): Page {
  for (;;) {
    const otherSessions = (await sessionsOf(pageRequest)).filter(({ id }) => id !== pageRequest.caller.sessionId);
    if (otherSessions.length === 0) return pageRequest.redirect('/settings/sessions?done=others-ended');
    for (const { id } of otherSessions) await endSession(pageRequest, id);
  }
}

/** The name of the application that holds the session. Undefined for a browser session. */
async function applicationOf({ kit }: PageRequest, { client_id }: Session): Promise<string | undefined> {
  const client = client_id === null ? undefined : await kit.oauth.clients.find(client_id);
  return client?.type === 'application' ? client.name : undefined;
}

const currentFirst = (a: { current: boolean }, b: { current: boolean }) => Number(b.current) - Number(a.current);

/** The sessions by application, or by the browser's User-Agent. The current ones come first. The others are sorted by their last use. */
async function sessionGroups(pageRequest: PageRequest) {
  const described = [];
  for (const session of await sessionsOf(pageRequest)) {
    const application = await applicationOf(pageRequest, session);
    const browser = describeUserAgent(session.user_agent);
    described.push({
      ...session,
      key: application === undefined ? JSON.stringify(browser) : `application ${session.client_id}`,
      name: application ?? localizeUserAgent(browser),
      application: application !== undefined,
      current: session.id === pageRequest.caller.sessionId,
      last_used_at: session.last_used_at ?? session.created_at,
    });
  }
  const groups = [...Map.groupBy(described, ({ key }) => key).values()].map((sessions) => {
    const [{ key, name, application, last_used_at }] = sessions as [(typeof sessions)[number]];
    sessions.sort(currentFirst);
    return { key, name, application, last_used_at, sessions, current: sessions.some(({ current }) => current) };
  });
  return groups.sort(currentFirst);
}

export async function showSessions(pageRequest: PageRequest): Page {
  const groups = await sessionGroups(pageRequest);
  return showSettings(pageRequest, 'sessions', 'settings/sessions', {
    title: message('sessions.title'),
    groups,
    others: groups.reduce((count, { sessions }) => count + sessions.length, 0) - 1,
  });
}
