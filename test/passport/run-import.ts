import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { type ImportListeners, type ImportOptions, importPassport } from '../../extensions/passport/import-passport.ts';
import type { Report } from '../../extensions/passport/report/report.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { type JsonResponse, request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';
import { type Fixture, fixture, type OldDatabase } from './old-database.ts';

export interface Held {
  readonly access_token: string;
  readonly refresh_token?: string;
}

/** The tokens of a fixture, and Passport's own responses to them. */
export function heldByClients(name: Fixture) {
  const read = JSON.parse(readFileSync(fixture(`${name}-held-by-clients.json`), 'utf8'));
  const tokens = new Map<string, Held>();
  for (const [situation, value] of Object.entries(read)) {
    const held = (Array.isArray(value) ? value[1] : value) as Held;
    if (!situation.startsWith('_') && held?.access_token) tokens.set(situation, held);
  }
  return {
    tokens,
    of: (situation: string): Held => tokens.get(situation) as Held,
    me: read._me as Record<string, [number, { email?: string }]>,
    secretOf: (id: string): string => secretIn(read._clients, id),
  };
}

/** A list of clients in one fixture. The other one maps purposes to id and secret. */
function secretIn(clients: unknown, id: string): string {
  const list = Object.values(clients as object) as ({ id: string; secret: string } | [id: string, secret: string])[];
  const pairs = list.map((client) => (Array.isArray(client) ? client : [client.id, client.secret]));
  return pairs.find(([own]) => own === id)?.[1] as string;
}

/** The time when the fixtures were created, and everything in them was valid. */
export const whenLive = Date.UTC(2026, 10, 15, 14);

export const setClock = (service: Service, to = whenLive): void => service.advance(to - service.context.now());

type Options = Partial<Omit<ImportOptions, 'from'>> & {
  scopes?: Record<string, unknown>;
  map?: Record<string, unknown>;
};

/** Runs the import like the command, during the run of the service, with the service's clock. */
export async function runImport(
  { context }: Pick<Service, 'context'>,
  old: OldDatabase,
  { scopes, map, ...options }: Options = {},
  listeners: ImportListeners = {},
): Promise<Report> {
  const scopesFile = scopes && join(context.config.dataDir, 'scopes.json');
  if (scopesFile) writeFileSync(scopesFile, JSON.stringify(scopes));
  const mapFile = map && join(context.config.dataDir, 'map.json');
  if (mapFile) writeFileSync(mapFile, JSON.stringify(map));
  return importPassport(
    { config: context.config, log: pino({ level: 'silent' }), metrics: createMetrics(), now: context.now },
    {
      from: old.url,
      env: fixture('app-key.env'),
      publicKey: fixture('oauth-public.key'),
      users: undefined,
      providers: new Map(),
      timezone: undefined,
      scopesFile,
      mapFile,
      prefix: undefined,
      guards: [],
      roles: new Map(),
      models: new Map(),
      rolesWhere: new Map(),
      disableWhere: [],
      ignoredColumns: new Set(),
      clientScopes: new Map([['*', 'users:read']]),
      social: new Map(),
      accept: [],
      verify: [],
      dryRun: false,
      confirmGone: false,
      ...options,
    },
    listeners,
  );
}

/** Scopes of the service for those of the fixtures. */
export const mappedScopes = { 'orders-read': 'users:read', 'orders-write': 'users:write', '': [] };

export const whoAmI = (
  service: Service,
  token: string,
): Promise<JsonResponse<{ data: { email: string; id: string }; code?: string }>> =>
  request(service, '/v1/users/me', { token });

export const refresh = (
  service: Service,
  refreshToken: string,
  client: { id: string; secret: string },
): Promise<JsonResponse<{ access_token: string; refresh_token: string; error?: string }>> =>
  request(service, '/v1/oauth/token', {
    form: {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: client.id,
      client_secret: client.secret,
    },
  });

export const introspect = (
  service: Service,
  token: string,
  client: { id: string; secret: string },
): Promise<JsonResponse<{ active: boolean; scope?: string; sub?: string }>> =>
  request(service, '/v1/oauth/introspect', { form: { token, client_id: client.id, client_secret: client.secret } });
