import { changeAs } from '../../src/database/change-as.ts';
import type { Tx } from '../../src/database/database.ts';
import { requireProof } from '../../src/http/gate/require-proof.ts';
import type { RequestSource } from '../../src/http/request-source.ts';
import { beginAttempt, networkLimits } from '../../src/identity/throttle/throttle.ts';
import { type BrowserLogin, findBrowserLogin, mayGrant } from '../../src/oauth/authorize/next-step.ts';
import { rememberConsent } from '../../src/oauth/authorize/remember-consent.ts';
import { isInRealmOfClient } from '../../src/oauth/clients/client-rules.ts';
import { adminScope, explicitScopes, narrowScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { authenticationOf } from '../../src/oauth/sessions/store/session-store.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { forbidden, notFound, tooManyRequests } from '../../src/platform/errors.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { readUserCode } from './device-authorization.ts';
import { type DeviceRow, decideDevice, findDecidedBy, findUndecided } from './device-store.ts';

/** The application and the requested scopes, shown to the user. */
export type WaitingDevice = NonNullable<Awaited<ReturnType<typeof findWaitingDevice>>>;

/** Wrong codes allowed in 15 minutes, per user and per network. */
const maxWrongCodes = { person: 10, network: 50 };

interface Person {
  readonly caller: Caller;
  readonly source: RequestSource;
}

/** Finds the device with this code. Counts the attempt for the user and the network before it checks the code. */
export async function findWaitingDevice(oauth: OAuth, { caller, source }: Person, typed: string) {
  const { context, clients } = oauth;
  const limits = [
    { key: `device-code:user:${caller.userId}`, max: maxWrongCodes.person, of: 'user' },
    ...networkLimits('device-code', source.address, maxWrongCodes.network),
  ];
  const attempt = await beginAttempt(context, limits);
  const [exceeded] = attempt.exceededLimits;
  if (exceeded) {
    await attempt.release();
    if (attempt.exceededLimits.some(({ first }) => first)) await recordGuesses(oauth, { caller, source });
    throw tooManyRequests('Too many wrong codes. Try again later.', exceeded.retryAfterSeconds);
  }
  const code = readUserCode(typed);
  const row = code === undefined ? undefined : await findUndecided(context.database.db, code, context.now());
  const client = row && (await clients.find(row.client_id));
  if (!row || !client) {
    await attempt.count();
    context.metrics.deviceAuthorizations.inc({ result: 'wrong_code' });
    return undefined;
  }
  await attempt.succeed();
  if (!(await isInRealmOfClient(context.database.db, client, caller.userId))) {
    throw forbidden('This application is for other users.');
  }
  const requested = narrowScopes(parseJson(row.scopes), client.scopes);
  // In place of `*`, the device gets the scopes of the user.
  const narrowed = narrowScopes(requested, [...new Set([...caller.scopes, ...explicitScopes])]);
  const scopes = narrowed.filter((scope) => mayGrant(caller, scope));
  if (scopes.length === 0) throw forbidden('You may grant none of the scopes that the device requests.');
  return { row, client, scopes };
}

/** The earlier decision of this user on a code. A form that is submitted twice has one effect. */
export async function earlierDecision({ context }: OAuth, { userId }: Caller, typed: string) {
  const code = readUserCode(typed);
  if (code === undefined || userId === null) return undefined;
  const row = await findDecidedBy(context.database.db, code, userId, context.now());
  return row && (row.session_id === null ? 'refused' : 'allowed');
}

const recordGuesses = ({ context }: OAuth, { caller, source }: Person): Promise<void> =>
  recordEvent(context, context.database.db, { type: 'device.codes_guessed', userId: caller.userId, source });

const codeExpired = () => notFound('This code is no longer valid. Start again on your device.');

/** Stores the decision. Consent opens the session at once, so that all rules that end sessions apply to it. */
export async function decideOnDevice(
  oauth: OAuth,
  { caller, source }: Person,
  { row, client, scopes: requested }: WaitingDevice,
  allowedScopes: readonly string[] | undefined,
): Promise<void> {
  const { context, lockAuthority } = oauth;
  const login = await findBrowserLogin(oauth, caller);
  if (!login) throw forbidden('Only a person who has signed in here can connect a device.');
  if (allowedScopes?.includes(adminScope)) requireProof(caller, context.now());
  const { userId } = login;
  const { now } = context;
  await changeAs(context.database, lockAuthority, { caller }, async (tx, _, lockedCaller) => {
    if (!(allowedScopes ?? []).every((scope) => mayGrant(lockedCaller, scope))) {
      throw forbidden('You may no longer grant these scopes.');
    }
    const parties = { userId, clientId: client.id };
    const sessionId = allowedScopes
      ? await openSession(oauth, tx, { login, row, scopes: allowedScopes, source })
      : null;
    if (!(await decideDevice(tx, { id: row.id, userId, sessionId, now: now() }))) throw codeExpired();
    if (allowedScopes) {
      await rememberConsent(context, tx, {
        ...parties,
        sessionId: login.session.id,
        scopes: allowedScopes,
        requestedScopes: requested,
        source,
      });
    }
    const type = allowedScopes ? 'device.approved' : 'device.denied';
    const data = { scopes: allowedScopes ?? requested, device_address: row.address };
    await recordEvent(context, tx, { type, ...parties, sessionId, source, data });
  });
  context.metrics.deviceAuthorizations.inc({ result: allowedScopes ? 'approved' : 'denied' });
}

/** The session expires with the code unless the device fetches its tokens. When it does, the lifetime starts again. */
async function openSession(
  { sessions }: OAuth,
  tx: Tx,
  {
    login,
    row,
    scopes,
    source,
  }: { login: BrowserLogin; row: DeviceRow; scopes: readonly string[]; source: RequestSource },
): Promise<string> {
  const stored = sessions.open(tx, {
    userId: login.userId,
    clientId: row.client_id,
    scopes,
    authentication: authenticationOf(login.session),
    resource: row.resource === null ? [] : parseJson(row.resource),
    expiresAt: row.expires_at,
    source: { address: row.address, userAgent: row.user_agent, requestId: source.requestId },
  });
  await stored.durable;
  return stored.session.id;
}
