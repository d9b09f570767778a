import { runInBackground } from './background.ts';
import { ensureCliClient } from './clients/cli-client.ts';
import { ClientDirectory } from './clients/client-directory.ts';
import { clientsResource } from './clients/clients-resource.ts';
import { ForeignSecrets } from './clients/foreign-secrets.ts';
import { ensureProxiedClients, remakeProxiedClients } from './clients/proxied-clients.ts';
import { KnownScopes } from './clients/scopes.ts';
import { serveCompatibly } from './compat/compat-routes.ts';
import { OldIds } from './compat/old-ids.ts';
import type { Config, ProxiedClient } from './config.ts';
import type { Context } from './context.ts';
import { type KeyRing, openKeyRing } from './crypto/key-ring.ts';
import { eventsResource } from './events/events-resource.ts';
import { noteSettings } from './events/note-settings.ts';
import { pruneEvents } from './events/prune-events.ts';
import { recordEvent } from './events/record-event.ts';
import { serveLogout } from './first-party/logout-routes.ts';
import { serveProxies } from './first-party/proxy-routes.ts';
import type { App } from './http/app.ts';
import { leaseCheck, serveHealth } from './http/health.ts';
import { serveApiReference } from './http/openapi/api-reference.ts';
import { describeApi, serveOpenApi } from './http/openapi/openapi.ts';
import { createServer } from './http/server.ts';
import { loadJobs } from './jobs/load-jobs.ts';
import { createEnqueuing, serveJobs } from './jobs/serve-jobs.ts';
import { createMail } from './mail/mail.ts';
import { takeOverMails } from './mail/take-over-mails.ts';
import { Audiences } from './oauth/audiences.ts';
import { pruneCodes } from './oauth/authorize/authorization-codes.ts';
import { deleteConsentsOf } from './oauth/authorize/consent-store.ts';
import { consentsResource } from './oauth/authorize/consents-resource.ts';
import { serveDeviceAuthorization } from './oauth/device/device-routes.ts';
import { pruneDevices } from './oauth/device/prune-devices.ts';
import { FailedClients } from './oauth/failed-clients.ts';
import type { OAuth } from './oauth/oauth.ts';
import { serveOAuth } from './oauth/oauth-routes.ts';
import { enqueueLogouts, sendLogouts } from './oauth/openid/backchannel-logout.ts';
import { ClientDocuments } from './oauth/registration/client-documents.ts';
import { pruneClients } from './oauth/registration/prune-clients.ts';
import { serveRegistration } from './oauth/registration/registration-routes.ts';
import { loadOwnMigrations } from './own-migrations/load-own-migrations.ts';
import { servePages } from './pages/pages.ts';
import { createWebSessions } from './pages/session/authenticate-web.ts';
import { jobsResource } from './queue/jobs-resource.ts';
import { Queue } from './queue/queue.ts';
import type { ResourceDefinition } from './resources/declaration/define-resource.ts';
import type { Enqueuing } from './resources/declaration/enqueuing.ts';
import { loadResources } from './resources/load-resources.ts';
import type { Resources } from './resources/model/resource.ts';
import { prepareResources } from './resources/prepare-resources.ts';
import { serveResources } from './resources/serve-resources.ts';
import { pruneIdempotencyKeys } from './resources/write/idempotency.ts';
import { loadRoutes } from './routes/load-routes.ts';
import { createSessions } from './sessions/create-sessions.ts';
import { endClients } from './sessions/end-clients.ts';
import type { NotifyApplications } from './sessions/end-sessions.ts';
import { createAuthority } from './sessions/hold-authority.ts';
import { issuePersonalToken } from './sessions/personal-tokens.ts';
import { pruneLogins } from './sessions/prune-logins.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { TokenVerifier } from './sessions/token-verifier.ts';
import { tokensResource } from './sessions/tokens-resource.ts';
import { forgetLegacyTokens } from './takeover/legacy-tokens/forget-legacy-tokens.ts';
import { LegacyKeys } from './takeover/legacy-tokens/legacy-keys.ts';
import { LegacyTokens } from './takeover/legacy-tokens/legacy-tokens.ts';
import { serveAccounts } from './users/account-routes.ts';
import type { AccountServices } from './users/accounts/account-services.ts';
import { checkCredentials } from './users/credentials/check-credentials.ts';
import { noteLogin } from './users/credentials/note-login.ts';
import { accountMails } from './users/mails/account-mails.ts';
import { createPasswords, type Passwords } from './users/passwords/passwords.ts';
import { pruneAccounts } from './users/prune-accounts.ts';
import { usersResource } from './users/resource/users-resource.ts';
import { keepRoles } from './users/roles/role-store.ts';
import { roleNames, rolesResource } from './users/roles/roles-resource.ts';

/** What the service is made of, for whoever starts it or tests it. */
export interface Services {
  readonly app: App;
  /** What is served, made ready for work. */
  readonly resources: Resources;
  readonly keys: KeyRing;
  readonly passwords: Passwords;
  readonly legacyKeys: LegacyKeys;
  readonly sessions: Sessions;
  readonly verifier: TokenVerifier;
  readonly clients: ClientDirectory;
  readonly scopes: KnownScopes;
  readonly oauth: OAuth;
  readonly proxiedClients: readonly ProxiedClient[];
  readonly accounts: AccountServices;
  readonly queue: Queue;
  /** What an operator's own code queues work with. */
  readonly enqueuing: Enqueuing;
  /** Ends the threads that hash, sign and open tokens: the last thing that they are asked for. */
  endThreads(): Promise<void>;
}

/** What the features stand on, before there is any route. */
export type Foundations = Omit<Services, 'app' | 'resources'>;

export async function createServices(context: Context): Promise<Foundations> {
  const keys = await openKeyRing(context);
  const passwords = createPasswords(context);
  const legacyKeys = new LegacyKeys(context);
  const legacyTokens = new LegacyTokens(context, legacyKeys);
  const queue = new Queue(context, keys);
  const notifyApplications: NotifyApplications = (tx, logins) => enqueueLogouts(queue, tx, logins);
  const { sessions, verifier } = createSessions(context, keys, legacyTokens, notifyApplications);
  const clients = new ClientDirectory(context, keys, new ForeignSecrets(context, keys, passwords));
  const scopes = new KnownScopes();
  const holdAuthority = createAuthority(context);
  const proxiedClients = await ensureProxiedClients(context, keys);
  keys.onReplaced(() => void remakeProxiedClients(context, keys));
  sendLogouts(queue, { context, keys, clients });
  const mail = createMail(context, queue, accountMails(context, keys));
  const jobs = await loadJobs(context.config.jobsDir, (name) => queue.handles(name));
  const enqueuing = createEnqueuing(context, queue, mail, jobs);
  serveJobs(context, queue, enqueuing, jobs);
  const oauth: OAuth = {
    context,
    keys,
    clients,
    documents: new ClientDocuments(context, clients, scopes),
    failedClients: new FailedClients(context, clients),
    sessions,
    verifier,
    scopes,
    audiences: new Audiences(context.config),
    holdAuthority,
    checkCredentials: (credentials) => checkCredentials(context, { passwords, keys }, credentials),
    noteLogin: (tx, login) => noteLogin(context, { keys, mail }, tx, login),
  };
  const accounts: AccountServices = {
    passwords,
    keys,
    holdAuthority,
    mail,
    issueFirstToken: async (tx, userId) =>
      void (await issuePersonalToken(tx, sessions, { userId, name: 'First token', scopes: ['*'] })),
    endSessions: async (tx, invalidate, of, cause) => void (await sessions.end(tx, invalidate, of, cause)),
    async endClients(tx, invalidate, of) {
      await endClients(sessions, tx, invalidate, of);
      // Whoever knew the old password may have allowed things to applications of their own.
      if (!of.keepSecrets) await deleteConsentsOf(tx, of.userId);
    },
  };

  const endThreads = async () =>
    void (await Promise.all([passwords, keys, legacyTokens].map((owner) => owner.close())));

  return {
    keys,
    passwords,
    legacyKeys,
    sessions,
    verifier,
    clients,
    scopes,
    oauth,
    proxiedClients,
    accounts,
    queue,
    enqueuing,
    endThreads,
  };
}

/** The resources that every service has; the operator's own are beside them. */
export const ownResources = (context: Context, services: Foundations): ResourceDefinition[] => [
  usersResource(context, services.accounts),
  rolesResource,
  clientsResource(services.keys, services.scopes, services.proxiedClients, services.accounts.mail),
  tokensResource(services.sessions, services.scopes, services.accounts.mail),
  eventsResource,
  consentsResource(services.sessions),
  jobsResource,
];

const ownResourceNames = ['users', 'roles', 'clients', 'tokens', 'events', 'consents', 'queued_jobs'].map((name) => ({
  name,
}));

/** The scopes of all that would be served: for commands, which serve nothing. */
export async function knownScopes(config: Config): Promise<KnownScopes> {
  const resources = [...ownResourceNames, ...(await loadResources(config.resourcesDir))];
  return addScopes(config, new KnownScopes(), resources, await loadRoutes(config.routesDir));
}

function addScopes(
  config: Config,
  scopes: KnownScopes,
  resources: readonly { readonly name: string; readonly label?: string | undefined }[],
  routes: Awaited<ReturnType<typeof loadRoutes>>,
): KnownScopes {
  for (const { name, label } of resources) scopes.addResource(name, label);
  for (const declared of routes)
    if (declared.kind === 'route' && declared.route.scope) scopes.add(declared.route.scope);
  for (const [scope, text] of Object.entries(config.scopes)) scopes.add(scope, text);
  return scopes;
}

/** The composition root: what the service consists of, in the order in which it is put together. */
export async function buildApp(context: Context): Promise<Services> {
  const services = await createServices(context);
  const { keys, legacyKeys, sessions, verifier, scopes, oauth, proxiedClients, accounts, queue, enqueuing } = services;
  await sessions.keepToMaxAge();
  await ensureCliClient(context);
  await takeOverMails(context);
  await noteSettings(context);
  await keepRoles(context.database.db, roleNames(context.config));
  const { config, database } = context;
  const migrations = await loadOwnMigrations(config.migrationsDir, database, context);
  const resources = await prepareResources(context, ownResources(context, services), migrations);
  const routes = await loadRoutes(context.config.routesDir);
  addScopes(context.config, scopes, resources, routes);

  const webSessions = createWebSessions(context.config, verifier);
  const app = await createServer(context, {
    bearer: (token, request) => verifier.verify(token, request, request.route.config.resource),
    web: webSessions.require,
  });
  await describeApi(app, context.config);
  serveCompatibly(app, context, { ids: new OldIds(context, legacyKeys), resources });
  serveHealth(app, context, [leaseCheck(context)]);
  serveOAuth(app, oauth);
  serveDeviceAuthorization(app, oauth);
  serveRegistration(app, oauth);
  serveProxies(app, oauth, proxiedClients);
  serveLogout(app, oauth, proxiedClients);
  serveAccounts(app, context, accounts);
  const { holdAuthority } = oauth;
  const served = serveResources(app, context, resources, { keys, recordEvent, holdAuthority, enqueuing });
  serveOpenApi(app);
  serveApiReference(app, context.config.brandName);
  const own = { services: { context, holdAuthority, enqueuing }, loaded: routes };
  await servePages(app, context, { keys, webSessions, scopes, oauth }, own);

  const background = runInBackground(context, [
    { name: 'last uses', everyMs: 1000, run: () => verifier.flush() },
    { name: 'ended sessions', everyMs: 60_000, run: () => sessions.prune() },
    { name: 'old throttles and links', everyMs: 60_000, run: () => pruneAccounts(context) },
    { name: 'unused applications', everyMs: 3_600_000, run: () => pruneClients(context) },
    { name: 'old device codes', everyMs: 60_000, run: () => pruneDevices(context) },
    { name: 'old authorization codes', everyMs: 60_000, run: () => pruneCodes(context) },
    { name: 'old logins at applications', everyMs: 3_600_000, run: () => pruneLogins(context) },
    { name: 'old idempotency keys', everyMs: 600_000, run: () => pruneIdempotencyKeys(context) },
    { name: 'events log', everyMs: 500, run: async () => context.eventsLog?.flush() },
    { name: 'old events', everyMs: 600_000, run: () => pruneEvents(context) },
    { name: 'failed work and figures', everyMs: 10_000, run: () => queue.prune() },
    { name: 'mail of earlier versions', everyMs: 60_000, run: () => takeOverMails(context) },
    { name: 'expired tokens of an earlier service', everyMs: 600_000, run: () => forgetLegacyTokens(context) },
  ]);
  app.addHook('onReady', async () => queue.start());
  app.addHook('onClose', async () => {
    await queue.stop();
    accounts.mail.close();
    await background.stop();
    await verifier.flush();
    await services.endThreads();
  });
  return { app, resources: served, ...services };
}
