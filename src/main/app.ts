import { roleNames } from '../config/config.ts';
import type { Context } from '../database/context.ts';
import type { App } from '../http/app.ts';
import { type Health, serveHealth } from '../http/health.ts';
import { awaitReplicaNotices } from '../http/request-reader.ts';
import { serveSecurityText } from '../http/security-text.ts';
import { createServer } from '../http/server.ts';
import { serveAccounts, serveInvitations } from '../identity/account-routes.ts';
import { serveFactors } from '../identity/factors/factor-routes.ts';
import { hashingReadinessCheck } from '../identity/passwords/passwords.ts';
import { syncRoles } from '../identity/roles/role-store.ts';
import { ensureCliClient } from '../oauth/clients/cli-client.ts';
import { serveLogout, serveProxies } from '../oauth/first-party/proxy-routes.ts';
import { serveOAuth } from '../oauth/oauth-routes.ts';
import { serveProofs } from '../oauth/sessions/proof/proof-routes.ts';
import { createPageKit } from '../pages/kit/page-kit.ts';
import { servePages } from '../pages/pages.ts';
import { createWebSessions } from '../pages/session/authenticate-web.ts';
import { recordSettingsChanges } from '../resources/audit/record-settings-changes.ts';
import type { Resources } from '../resources/model/resource.ts';
import type { ResourceServices } from '../resources/model/resource-services.ts';
import { serveResources } from '../resources/serve-resources.ts';
import { addScopes, builtinResources } from './builtin-resources.ts';
import { findMember, loadExtensions } from './extensions.ts';
import { scheduleMaintenance } from './maintenance.ts';
import { aggregateRows } from './open-aggregates.ts';
import { openCustomRoutes } from './open-custom-routes.ts';
import { openMigrations } from './open-migrations.ts';
import { prepareResources } from './prepare-resources.ts';
import { createServices, type Services } from './services.ts';

/** The assembled service, for a start or a test. */
export interface BuiltApp extends Services, Pick<Health, 'refreshMetrics'> {
  readonly app: App;
  readonly resources: Resources;
  /** The resource services for the operator's own code. */
  readonly resourceServices: ResourceServices;
  /**
   * Makes `/health/ready` return 503, so that load balancers switch to other instances. The service still responds to all other requests.
   */
  drain(): void;
}

/** The composition root: all parts of the service, in the order of their setup. */
export async function buildApp(context: Context): Promise<BuiltApp> {
  const services = await createServices(context);
  // A start that fails because of an extension must not have shortened sessions or recorded changes of settings.
  const extensions = await loadExtensions(context, services);
  const { keys, sessions, verifier, scopes, oauth, proxiedClients, accounts, queue } = services;
  const { enqueuing, jobs } = services;
  await sessions.applyMaxAge();
  await ensureCliClient(context);
  await recordSettingsChanges(context);
  await syncRoles(context.database.db, roleNames(context.config));
  for (const extension of extensions) await extension.start?.();
  const { lockAuthority } = oauth;
  const { proofMethods, proveByPassword } = services;
  const changeFeed = findMember(extensions, 'changeFeed');
  const shared = { keys: keys.macKeys, lockAuthority, proveByPassword, enqueuing, aggregateRows, changeFeed };
  const migrate = await openMigrations(context, shared);
  const customRoutes = await openCustomRoutes(context.config.routesDir);
  const resources = await prepareResources(
    context,
    [...(await builtinResources(context, services)), ...extensions.flatMap((extension) => extension.resources ?? [])],
    migrate,
    (declared) => addScopes(context.config, scopes, declared, customRoutes).list(),
  );

  const webSessions = createWebSessions(context.config, verifier);
  const app = await createServer(context, {
    bearer: (token, request) => verifier.verify(token, request, request.route.config.resource),
    web: webSessions.require,
  });
  awaitReplicaNotices(app, context);
  for (const extension of extensions) extension.beforeRoutes?.(app, resources);
  serveSecurityText(app, context.config, context.now);
  const { drain, refreshMetrics } = serveHealth(app, context, [hashingReadinessCheck(services.passwords)]);
  serveOAuth(app, oauth);
  for (const extension of extensions) extension.serveOAuth?.(app);
  serveProxies(app, oauth, proxiedClients);
  for (const extension of extensions) extension.serveTokens?.(app);
  serveLogout(app, oauth, proxiedClients);
  serveAccounts(app, accounts);
  serveFactors(app, { services: services.factors, lockAuthority, proveByPassword });
  serveProofs(app, context, { lockAuthority, methods: proofMethods });
  serveInvitations(app, { ...accounts, proveByPassword });
  const served = serveResources(app, context, resources, shared);
  const resourceServices: ResourceServices = { ...shared, context, resources: served };
  jobs.serve(resourceServices);
  for (const extension of extensions) extension.serve?.(app, served, extensions);
  const providers = findMember(extensions, 'providers');
  const kit = await createPageKit(app, oauth, { webSessions, providers });
  for (const extension of extensions) extension.servePages?.(app, kit);
  await servePages(app, kit);
  customRoutes.serve(app, kit, resourceServices);

  const background = scheduleMaintenance(context, services, extensions);
  // The first request can already start a scheduled job.
  app.addHook('onReady', () => jobs.syncSchedules());
  if (!context.idle) app.addHook('onReady', async () => queue.start());
  app.addHook('onClose', async () => {
    await queue.stop();
    accounts.mail.close();
    await background.stop();
    await verifier.flush();
    await services.endThreads();
  });
  return { app, resources: served, resourceServices, drain, refreshMetrics, ...services };
}
