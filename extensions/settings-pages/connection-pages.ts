import { message } from '../../src/config/languages/message.ts';
import type { Db } from '../../src/database/database.ts';
import type { Page, PageRequest } from '../../src/pages/kit/page-request.ts';
import { userIdOf } from '../../src/platform/caller.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import { newestEventsOfUser } from '../../src/resources/audit/event-store.ts';
import { ownRows, removal, showSettings } from './settings-shell.ts';

interface Consent {
  readonly client_id: string;
  readonly client_name: string | null;
  readonly scopes: readonly string[];
}

/** How many calls are shown per application, and how many calls of all applications are read to find them. */
const shownCalls = 3;
const readCalls = 200;

export const withdrawConsent = removal('consents', '/settings/connections?done=consent-withdrawn');

/** Connected applications: the user's consents. */
export async function showConnections(pageRequest: PageRequest): Page {
  const { clients, scopes: knownScopes, context } = pageRequest.kit.oauth;
  const consents = await ownRows<Consent>(pageRequest, 'consents', undefined, 'updated_at');
  const calls = await lastCalls(context.database.db, userIdOf(pageRequest.caller));
  const items = await Promise.all(
    consents.map(async ({ client_id, client_name, scopes, ...consent }) => {
      const client = await clients.find(client_id);
      const host = client?.homepage_uri ? new URL(client.homepage_uri).host : null;
      // The application of a disabled owner is shown as deleted, and can be removed.
      return {
        ...consent,
        name: client?.name ?? client_name ?? client_id,
        host,
        texts: scopes.map((scope) => knownScopes.describe(scope)),
        calls: calls.get(client_id)?.slice(0, shownCalls) ?? [],
      };
    }),
  );
  return showSettings(pageRequest, 'connections', 'settings/connections', {
    title: message('connections.title'),
    items,
  });
}

/** The latest use of /mcp by each application of the user, newest first. */
async function lastCalls(db: Db, userId: string): Promise<Map<string | null, { at: string; what: string }[]>> {
  const events = await newestEventsOfUser(db, userId, 'mcp.called', readCalls);
  const calls = events.map(({ client_id, created_at, data }) => {
    const { tool, resource, action } = parseJson<Record<string, string>>(data ?? '{}');
    const callText = [tool, action ?? resource].filter((word) => word !== undefined).join(' ');
    return { client_id, at: new Date(created_at).toISOString(), what: callText };
  });
  return Map.groupBy(calls, ({ client_id }) => client_id);
}
