import type { Caller } from '../../caller.ts';
import type { StoredClient } from '../../clients/client-store.ts';
import { everyScope, narrowScopes } from '../../clients/scopes.ts';
import { changeAs } from '../../database/change-as.ts';
import { notFound, tooManyRequests } from '../../errors.ts';
import { recordEvent } from '../../events/record-event.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { authenticationOf } from '../../sessions/authentication.ts';
import { findSession } from '../../sessions/session-store.ts';
import { begin, networkLimits } from '../../users/throttle/throttle.ts';
import type { OAuth } from '../oauth.ts';
import { type DeviceRow, decideDevice, findUndecided } from './device-store.ts';
import { readUserCode } from './user-code.ts';

/** What a person is asked about: which application, and for what. */
export interface WaitingDevice {
  readonly row: DeviceRow;
  readonly client: StoredClient;
  readonly scopes: readonly string[];
}

/** Wrong codes in a quarter of an hour, of one person and of one network. */
const mostWrong = { person: 10, network: 50 };

interface Person {
  readonly caller: Caller;
  readonly source: RequestSource;
}

/** The device that waits under this code. A guess counts against the person and the network before it is looked at. */
export async function findWaitingDevice(
  oauth: OAuth,
  { caller, source }: Person,
  typed: string,
): Promise<WaitingDevice | undefined> {
  const { context, clients } = oauth;
  const limits = [
    { key: `device-code:user:${caller.userId}`, most: mostWrong.person, of: 'user' },
    ...networkLimits('device-code', source.address, mostWrong.network),
  ];
  const attempt = await begin(context, limits);
  const [refusal] = attempt.refusals;
  if (refusal) {
    await attempt.giveBack();
    if (attempt.refusals.some(({ first }) => first)) await recordGuesses(oauth, { caller, source });
    throw tooManyRequests('Too many codes were wrong. Try again later.', refusal.retryAfterSeconds);
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
  return { row, client, scopes: narrowScopes(JSON.parse(row.scopes) as string[], client.scopes) };
}

const recordGuesses = ({ context }: OAuth, { caller, source }: Person): Promise<void> =>
  recordEvent(context, context.database.db, { type: 'device.codes_guessed', userId: caller.userId, source });

const gone = () => notFound('This code is not valid any more. Begin again on your device.');

/** What the person decided. Who agrees opens the session already, so that whatever ends sessions ends it too. */
export async function decideOnDevice(
  oauth: OAuth,
  { caller, source }: Person,
  { row, client, scopes }: WaitingDevice,
  agreed: boolean,
): Promise<void> {
  const { context, sessions, holdAuthority } = oauth;
  const { database, metrics, now } = context;
  const userId = caller.userId as string;
  const login = await findSession(database, caller.sessionId as string);
  // Only who may do everything hands it on: a token of an application, put into a cookie, gets nowhere.
  await changeAs(database, holdAuthority, { caller, scope: everyScope }, async (tx) => {
    const stored = agreed
      ? sessions.open(tx, {
          userId,
          clientId: client.id,
          scopes,
          login: { id: null },
          authentication: login ? authenticationOf(login) : null,
          resource: row.resource === null ? [] : (JSON.parse(row.resource) as string[]),
          // A device that never comes for it loses it. One that does gets its time anew.
          expiresAt: row.expires_at,
          source: { address: row.address, userAgent: row.user_agent, requestId: source.requestId },
        })
      : undefined;
    await stored?.durable;
    const sessionId = stored?.session.id ?? null;
    if (!(await decideDevice(tx, { id: row.id, userId, sessionId, now: now() }))) throw gone();
    await recordEvent(context, tx, {
      type: agreed ? 'device.approved' : 'device.denied',
      userId,
      clientId: client.id,
      sessionId,
      source,
      data: { scopes, device_address: row.address },
    });
  });
  metrics.deviceAuthorizations.inc({ result: agreed ? 'approved' : 'denied' });
}
