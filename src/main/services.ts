import type { Context } from '../database/context.ts';
import { openKeyRing } from '../database/keys/key-ring.ts';
import { resealAll } from '../database/keys/reseal.ts';
import { forbidApplications } from '../http/gate/forbid-applications.ts';
import { requireProof } from '../http/gate/require-proof.ts';
import { accountMails } from '../identity/account-mails/account-mails.ts';
import type { AccountServices } from '../identity/accounts/account-services.ts';
import { forgetFirstPassword } from '../identity/accounts/first-password.ts';
import { rolesOf } from '../identity/accounts/user-store.ts';
import { checkCredentials } from '../identity/credentials/check-credentials.ts';
import { notifyOfLogin } from '../identity/credentials/known-browsers.ts';
import { createPasswordProver } from '../identity/credentials/require-password-or-proof.ts';
import { hasFactorOfOtherSession } from '../identity/factors/factor-count-store.ts';
import type { FactorServices } from '../identity/factors/factor-services.ts';
import { Mail } from '../identity/mail/mail.ts';
import { createPasswords } from '../identity/passwords/passwords.ts';
import { requireEveryScope } from '../identity/users/guard-user.ts';
import { Audiences } from '../oauth/audiences.ts';
import { deleteConsentsOf } from '../oauth/authorize/consent-store.ts';
import { ClientDirectory } from '../oauth/clients/client-directory.ts';
import { ensureProxiedClients, recreateProxiedClients } from '../oauth/clients/proxied-clients.ts';
import { KnownScopes } from '../oauth/clients/scopes/scopes.ts';
import { createFailedClientRecorder } from '../oauth/failed-clients.ts';
import type { OAuth } from '../oauth/oauth.ts';
import { enqueueLogouts } from '../oauth/openid/backchannel-logout.ts';
import { ClientKeys } from '../oauth/proofs/client-keys.ts';
import { Dpop } from '../oauth/proofs/dpop.ts';
import { createLockAuthority } from '../oauth/sessions/authority/lock-authority.ts';
import { endClients, endSessions } from '../oauth/sessions/end-sessions.ts';
import { issuePersonalToken } from '../oauth/sessions/personal-tokens/personal-tokens.ts';
import {
  byCode,
  byEmailCode,
  byPasskey,
  byPassword,
  byProvider,
  highestAcr,
  type ProofMethods,
} from '../oauth/sessions/proof/proof-methods.ts';
import { type NotifyApplications, Sessions } from '../oauth/sessions/sessions.ts';
import { TokenVerifier } from '../oauth/sessions/verify/token-verifier.ts';
import { meetsAcr } from '../platform/proof.ts';
import { disableWebhooks } from '../resources/disable-webhooks-store.ts';
import { createEnqueuing } from '../resources/queue/create-enqueuing.ts';
import { Queue } from '../resources/queue/queue.ts';
import { extensionGrants } from './open-grants.ts';
import { openImportedSecrets } from './open-imported-secrets.ts';
import { openJobs } from './open-jobs.ts';
import { openLegacyTokens } from './open-legacy-tokens.ts';
import { openRegisteredClients } from './open-registered-clients.ts';

/** The services without routes, for startup and for commands that do not serve requests. */
export type Services = Awaited<ReturnType<typeof createServices>>;

export async function createServices(context: Context) {
  const keys = await openKeyRing(context);
  await resealAll(context, keys.sealing);
  const passwords = createPasswords(context);
  const legacyTokens = openLegacyTokens(context);
  const queue = new Queue(context, keys);
  const notifyApplications: NotifyApplications = (tx, logins) => enqueueLogouts(context, tx, logins);
  const dpop = new Dpop(context, keys);
  const sessions = new Sessions(context, keys, legacyTokens, notifyApplications);
  const verifier = new TokenVerifier(
    context,
    keys,
    legacyTokens,
    ({ method = '', url = '', headers = {} }, token, jkt) => dpop.atResource({ method, url, headers }, token, jkt),
  );
  const clients = new ClientDirectory(context, keys, openImportedSecrets(context, keys, passwords));
  const scopes = new KnownScopes();
  const lockAuthority = createLockAuthority(context);
  const proxiedClients = await ensureProxiedClients(context, keys);
  keys.onReplaced(() => void recreateProxiedClients(context, keys));
  const mail = new Mail(context, queue, accountMails(context, keys));
  const jobs = await openJobs(context, queue);
  const enqueuing = createEnqueuing(context, queue, (tx, sent) => mail.enqueueOwn(tx, sent), jobs.names);
  const oauth: OAuth = {
    context,
    keys,
    clients,
    extensionGrants,
    registeredClients: openRegisteredClients(context, { scopes, keys }),
    recordFailedClient: createFailedClientRecorder(context, clients),
    clientKeys: new ClientKeys(context),
    dpop,
    sessions,
    verifier,
    scopes,
    audiences: new Audiences(context.config),
    legacyScopes: () => legacyTokens.readScopes(),
    lockAuthority,
    mail,
    highestAcr: (userId) => highestAcr(proofMethods, userId),
    async checkCredentials(credentials) {
      const user = await checkCredentials(context, { passwords, keys }, credentials);
      await forgetFirstPassword(context, { id: user.id, roles: rolesOf(user) });
      return user;
    },
    notifyOfLogin: (tx, login) => notifyOfLogin(accounts, tx, login),
  };
  const accounts: AccountServices = {
    context,
    passwords,
    keys,
    lockAuthority,
    mail,
    issueFirstToken: async (tx, userId) =>
      void (await issuePersonalToken(tx, sessions, { userId, name: 'First token', scopes: ['*'] })),
    endSessions: async (tx, invalidate, of, cause) => void (await endSessions(sessions, tx, invalidate, of, cause)),
    async endClients(tx, invalidate, of) {
      await endClients(sessions, tx, invalidate, of);
      if (of.keepSecrets) return;
      // Anyone who knew the old password may have given consent to applications and created webhooks.
      await deleteConsentsOf(tx, of.userId);
      await disableWebhooks(context, tx, { user_id: of.userId }, 'the password was changed');
    },
  };

  const factors: FactorServices = {
    context,
    keys,
    mail,
    async guardChange(db, caller, ownerId) {
      forbidApplications(caller);
      if (ownerId !== undefined && ownerId !== caller.userId) requireEveryScope(caller);
      const { sessionId, userId, proof } = caller;
      const acr = 'urn:gatehouse:2';
      // Looked up before the age is checked, so that the first challenge already contains the level.
      const needsFactor =
        context.config.mfa !== 'off' &&
        proof.freshSeconds !== 0 &&
        sessionId !== null &&
        userId !== null &&
        !meetsAcr(proof.acr, acr) &&
        (await hasFactorOfOtherSession(db, userId, sessionId));
      requireProof(caller, context.now(), needsFactor ? { acr } : {});
    },
  };
  const proofMethods: ProofMethods = new Map([
    ...(context.config.localPasswords ? ([['password', byPassword(context, passwords)]] as const) : []),
    ['code', byCode(factors)],
    ['passkey', byPasskey(factors)],
    ['provider', byProvider(factors)],
    ...(context.config.emailCodes ? ([['email_code', byEmailCode(factors)]] as const) : []),
  ]);

  return {
    keys,
    passwords,
    legacyTokens,
    sessions,
    verifier,
    clients,
    scopes,
    oauth,
    proxiedClients,
    accounts,
    factors,
    proofMethods,
    proveByPassword: createPasswordProver(context, passwords),
    queue,
    enqueuing,
    jobs,
    /** Ends the threads that hash, sign and decrypt. Call it last. */
    async endThreads() {
      await Promise.all([passwords, keys.signingKeys, legacyTokens].map((owner) => owner.close()));
    },
  };
}
