import { ClientDirectory } from './clients/client-directory.ts';
import { ForeignSecrets } from './clients/foreign-secrets.ts';
import { ensureProxiedClients, remakeProxiedClients } from './clients/proxied-clients.ts';
import { KnownScopes } from './clients/scopes.ts';
import type { ProxiedClient } from './config.ts';
import type { Context } from './context.ts';
import { type KeyRing, openKeyRing } from './crypto/key-ring.ts';
import { loadJobs } from './jobs/load-jobs.ts';
import { createEnqueuing, serveJobs } from './jobs/serve-jobs.ts';
import { createMail } from './mail/mail.ts';
import { Audiences } from './oauth/audiences.ts';
import { deleteConsentsOf } from './oauth/authorize/consent-store.ts';
import { FailedClients } from './oauth/failed-clients.ts';
import type { OAuth } from './oauth/oauth.ts';
import { enqueueLogouts, sendLogouts } from './oauth/openid/backchannel-logout.ts';
import { ClientDocuments } from './oauth/registration/client-documents.ts';
import { Activity } from './overview/activity.ts';
import { Queue } from './queue/queue.ts';
import type { Enqueuing } from './resources/declaration/enqueuing.ts';
import type { ProveByPassword } from './resources/model/resource-services.ts';
import { createAuthority } from './sessions/authority/hold-authority.ts';
import { createSessions } from './sessions/create-sessions.ts';
import type { NotifyApplications } from './sessions/end/end-sessions.ts';
import { endClients } from './sessions/end-clients.ts';
import { issuePersonalToken } from './sessions/personal-tokens/personal-tokens.ts';
import { byPassword } from './sessions/proof/by-password.ts';
import type { ProofMethods } from './sessions/proof/proof-methods.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { TokenVerifier } from './sessions/verify/token-verifier.ts';
import { LegacyKeys } from './takeover/legacy-tokens/legacy-keys.ts';
import { LegacyTokens } from './takeover/legacy-tokens/legacy-tokens.ts';
import type { AccountServices } from './users/accounts/account-services.ts';
import { forgetFirstPassword } from './users/accounts/first-password.ts';
import { rolesOf } from './users/accounts/user-store.ts';
import { checkCredentials } from './users/credentials/check-credentials.ts';
import { noteLogin } from './users/credentials/note-login.ts';
import { createProveByPassword } from './users/credentials/prove-by-password.ts';
import { accountMails } from './users/mails/account-mails.ts';
import { createPasswords, type Passwords } from './users/passwords/passwords.ts';

/** What the features stand on, before there is any route: for whoever starts the service, and for commands that serve nothing. */
export interface Services {
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
  /** The ways to prove who one is: a factor adds its own. */
  readonly proofMethods: ProofMethods;
  readonly proveByPassword: ProveByPassword;
  readonly queue: Queue;
  readonly activity: Activity;
  /** What an operator's own code queues work with. */
  readonly enqueuing: Enqueuing;
  /** Ends the threads that hash, sign and open tokens: the last thing that they are asked for. */
  endThreads(): Promise<void>;
}

export async function createServices(context: Context): Promise<Services> {
  const keys = await openKeyRing(context);
  const passwords = createPasswords(context);
  const legacyKeys = new LegacyKeys(context);
  const legacyTokens = new LegacyTokens(context, legacyKeys);
  const queue = new Queue(context, keys);
  const notifyApplications: NotifyApplications = (tx, logins) => enqueueLogouts(context, tx, logins);
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
    async checkCredentials(credentials) {
      const user = await checkCredentials(context, { passwords, keys }, credentials);
      await forgetFirstPassword(context, { id: user.id, roles: rolesOf(user) });
      return user;
    },
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
    proofMethods: new Map([['password', byPassword(context, passwords)]]),
    proveByPassword: createProveByPassword(context, passwords),
    queue,
    activity: new Activity(context),
    enqueuing,
    endThreads,
  };
}
