import type { FastifyReply } from 'fastify';
import { message } from '../../config/languages/message.ts';
import type { Db } from '../../database/database.ts';
import { userIdOf } from '../../platform/caller.ts';
import { parseJson } from '../../platform/json-text.ts';
import { newestEventsOfUser } from '../../resources/audit/event-store.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import { ownRows, serveRemoval, showSettings } from './settings-shell.ts';

interface Consent {
  readonly client_id: string;
  readonly client_name: string | null;
  readonly scopes: readonly string[];
}

const base = '/settings/connections';

/** How many calls are shown per application, and how many calls of all applications are read to find them. */
const shownCalls = 3;
const readCalls = 200;

/** Connected applications: lists the user's consents and withdraws them. */
export function serveConnections(kit: PageKit): void {
  kit.page(base, 'auth:web', showConnections);
  serveRemoval(kit, `${base}/:id/withdraw`, 'consents', `${base}?done=consent-withdrawn`);
}

async function showConnections(pageRequest: PageRequest): Promise<FastifyReply> {
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
