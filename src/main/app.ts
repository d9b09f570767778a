import type { Context } from '../database/context.ts';
import { acknowledgeWrites } from '../http/acknowledge-writes.ts';
import type { App } from '../http/app.ts';
import { serveHealth } from '../http/health.ts';
import { describeApi, serveOpenApi } from '../http/openapi/openapi.ts';
import { createServer } from '../http/server.ts';
import { serveAccounts } from '../identity/account-routes.ts';
import { serveInvitations } from '../identity/invitation-routes.ts';
import { queueCheck } from '../identity/passwords/queue-check.ts';
import { keepRoles } from '../identity/roles/role-store.ts';
import { roleNames } from '../identity/roles/roles-resource.ts';
import { ensureCliClient } from '../oauth/clients/cli-client.ts';
import { serveDeviceAuthorization } from '../oauth/device-authorization/device-routes.ts';
import { serveLogout } from '../oauth/first-party/logout-routes.ts';
import { serveProxies } from '../oauth/first-party/proxy-routes.ts';
import { serveOAuth } from '../oauth/oauth-routes.ts';
import { serveRegistration } from '../oauth/registration/registration-routes.ts';
import { serveProofs } from '../oauth/sessions/proof/proof-routes.ts';
import { servePages } from '../pages/pages.ts';
import { createWebSessions } from '../pages/session/authenticate-web.ts';
import { noteSettings } from '../resources/audit/note-settings.ts';
import { recordEvent } from '../resources/audit/record-event.ts';
import { loadRoutes } from '../resources/custom-routes/load-routes.ts';
import type { Resources } from '../resources/model/resource.ts';
import { loadOperatorMigrations } from '../resources/operator-migrations/load-operator-migrations.ts';
import { prepareResources } from '../resources/prepare-resources.ts';
import { serveResources } from '../resources/serve-resources.ts';
import { addScopes, builtinResources } from './builtin-resources.ts';
import { loadExtensions } from './extensions.ts';
import { scheduleMaintenance } from './maintenance.ts';
import { serveOverview } from './overview/overview-routes.ts';
import { createServices, type Services } from './services.ts';

/** The service, put together, for whoever starts it or tests it. */
export interface BuiltApp extends Services {
  readonly app: App;
  /** What is served, made ready for work. */
  readonly resources: Resources;
  /** From now on `/health/ready` is 503, so that load balancers turn away; all else is answered as before. */
  drain(): void;
}

/** The composition root: what the service consists of, in the order in which it is put together. */
export async function buildApp(context: Context): Promise<BuiltApp> {
  const [services, extensions] = await Promise.all([createServices(context), loadExtensions(context.config)]);
  const { keys, sessions, verifier, scopes, oauth, proxiedClients, accounts, queue, enqueuing, activity } = services;
  await sessions.keepToMaxAge();
  await ensureCliClient(context);
  await noteSettings(context);
  await keepRoles(context.database.db, roleNames(context.config));
  const { config, database } = context;
  const migrations = await loadOperatorMigrations(config.migrationsDir, database, context);
  const resources = await prepareResources(
    context,
    [...builtinResources(context, services), ...extensions.flatMap((extension) => extension.resources ?? [])],
    migrations,
  );
  const routes = await loadRoutes(context.config.routesDir);
  addScopes(context.config, scopes, resources, routes);

  const webSessions = createWebSessions(context.config, verifier);
  const app = await createServer(context, {
    bearer: (token, request) => verifier.verify(token, request, request.route.config.resource),
    web: webSessions.require,
  });
  acknowledgeWrites(app, context);
  await describeApi(app, context.config);
  for (const extension of extensions) extension.beforeRoutes?.(app, context, resources);
  const drain = serveHealth(app, context, [queueCheck(services.passwords)]);
  serveOAuth(app, oauth);
  serveDeviceAuthorization(app, oauth);
  serveRegistration(app, oauth);
  serveProxies(app, oauth, proxiedClients);
  serveLogout(app, oauth, proxiedClients);
  serveAccounts(app, context, accounts);
  const { holdAuthority } = oauth;
  const { proofMethods, proveByPassword } = services;
  serveProofs(app, context, { holdAuthority, methods: proofMethods });
  serveInvitations(app, context, { ...accounts, proveByPassword });
  const served = serveResources(
    app,
    context,
    resources,
    { keys, recordEvent, holdAuthority, proveByPassword, enqueuing },
    scopes.list(),
  );
  serveOverview(app, context, activity);
  for (const extension of extensions) extension.serve?.(app, oauth, served);
  serveOpenApi(app);
  const own = { services: { context, holdAuthority, enqueuing }, loaded: routes };
  await servePages(app, context, { keys, webSessions, scopes, oauth }, own);

  const background = scheduleMaintenance(context, services, extensions);
  app.addHook('onReady', async () => queue.start());
  app.addHook('onClose', async () => {
    await queue.stop();
    accounts.mail.close();
    await background.stop();
    // A database that is away keeps nobody from stopping.
    await activity.flush().catch((error) => context.log.warn({ err: error }, 'the last counts were not written'));
    await verifier.flush();
    await services.endThreads();
  });
  return { app, resources: served, drain, ...services };
}
