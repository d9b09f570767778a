import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { contexts } from '../../../test/harness/contexts.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { openSessions, type SessionInstances } from '../../../test/harness/session-instances.ts';
import { openSession, refreshSession } from '../../../test/harness/sessions.ts';
import { signToken } from '../../../test/harness/sign-token.ts';
import { systemSource as source } from '../../http/request-source.ts';
import type { OAuthError } from '../../platform/errors.ts';

const grace = 10_000;
const hour = 3_600_000;
const day = 24 * hour;
/** Longer than the lifetime of any token here. */
const year = 365 * day;

/** The tokens of a session that the owner or the thief holds. */
interface Holder {
  refreshToken: string;
  /** The newest is last. Some have expired. */
  readonly accessTokens: string[];
}

async function logIn(real: SessionInstances): Promise<Holder> {
  const { context, sessions } = real.any();
  const { userId, clientId } = real;
  const row = await openSession({ context, sessions }, { userId, clientId, scopes: ['*'], source });
  return { refreshToken: sessions.makeRefreshToken(row), accessTokens: [signToken(sessions, row)] };
}

async function refresh(real: SessionInstances, { refreshToken }: Holder): Promise<Holder> {
  const { sessions } = real.any();
  const { session, accessToken } = await refreshSession(sessions, { refreshToken, clientId: real.clientId, source });
  return { refreshToken: sessions.makeRefreshToken(session), accessTokens: [accessToken] };
}

/** A device stores a response before it uses it. */
function keep(holder: Holder, response: Holder): void {
  holder.refreshToken = response.refreshToken;
  holder.accessTokens.push(...response.accessTokens);
}

/** Uses an access token. An expired token shows nothing about theft. */
async function act(real: SessionInstances, token: string | undefined): Promise<void> {
  if (token === undefined) return;
  try {
    await real.any().verifier.verify(token, null);
  } catch (error) {
    assert.equal((error as { code: string }).code, 'token_expired');
  }
}

type OwnerAction = 'answer arrives' | 'answer is lost' | 'two tabs' | 'uses newest' | 'uses an older one' | 'crash';
const action = fc.constantFrom<OwnerAction>(
  'answer arrives',
  'answer is lost',
  'answer is lost',
  'two tabs',
  'uses newest',
  'uses an older one',
  'crash',
);
const pause = fc.constantFrom(0, 1, grace - 1, grace, grace + 1, hour - 1, hour + 1, 9 * hour, 5 * day);
const days = fc.array(fc.record({ action, pause }), { minLength: 1, maxLength: 20 });

async function live(real: SessionInstances, owner: Holder, action: OwnerAction): Promise<void> {
  if (action === 'answer arrives') keep(owner, await refresh(real, owner));
  else if (action === 'answer is lost') await refresh(real, owner);
  else if (action === 'two tabs') {
    const responses = await Promise.all([refresh(real, owner), refresh(real, owner), refresh(real, owner)]);
    assert.equal(new Set(responses.map(({ refreshToken }) => refreshToken)).size, 1, 'the session forked');
    for (const response of responses) keep(owner, response);
  } else if (action === 'crash') real.crash();
  else await act(real, owner.accessTokens.at(action === 'uses newest' ? -1 : -2));
}

async function eventsOf(real: SessionInstances, { refreshToken }: Holder): Promise<string[]> {
  const { db } = real.any().context.database;
  const sessionId = refreshToken.split('.')[0] as string;
  const rows = await db.selectFrom('events').select('type').where('session_id', '=', sessionId).execute();
  return rows.map(({ type }) => type);
}

const isRefused = (error: OAuthError) => error.error === 'invalid_grant';

onBothEngines('A session', (engine) => {
  const make = contexts(engine);
  const open = () =>
    openSessions(make, engine, { REFRESH_GRACE: String(grace / 1000), REFRESH_TOKEN_TTL: String(year / 1000) });
  const numRuns = engine === 'sqlite' ? 100 : 60;

  it('never ends for an honest owner, regardless of pauses and lost responses', {
    timeout: 600_000,
  }, async () => {
    const real = await open();
    const life = fc.asyncProperty(days, fc.boolean(), async (steps, spied) => {
      const owner = await logIn(real);
      for (const { action, pause: ms } of steps) {
        // A thief who presents the owner's current token but does not use the response does no harm.
        if (spied) await refresh(real, { ...owner });
        await live(real, owner, action);
        real.advance(ms);
      }
      keep(owner, await refresh(real, owner));
      await real.any().verifier.verify(owner.accessTokens.at(-1) as string, null);
      assert.deepEqual(await eventsOf(real, owner), []);
    });
    await fc.assert(life, { numRuns });
  });

  it("ends at the owner's next refresh after a thief has used stolen tokens", {
    timeout: 600_000,
  }, async () => {
    const real = await open();
    const theft = fc.record({
      before: days,
      refreshes: fc.integer({ min: 1, max: 3 }),
      acts: fc.boolean(),
      meanwhile: fc.array(fc.constantFrom<OwnerAction>('uses newest', 'uses an older one', 'crash'), { maxLength: 4 }),
      later: fc.constantFrom(grace + 1, hour, 9 * hour),
    });
    const property = fc.asyncProperty(theft, async ({ before, refreshes, acts, meanwhile, later }) => {
      const owner = await logIn(real);
      for (const { action, pause: ms } of before) {
        await live(real, owner, action);
        real.advance(ms);
      }
      const thief: Holder = { refreshToken: owner.refreshToken, accessTokens: [] };
      for (let i = 0; i < refreshes; i++) keep(thief, await refresh(real, thief));
      // The second refresh uses the refresh token of the successor. Otherwise the access token must be used.
      if (acts || refreshes === 1) await act(real, thief.accessTokens.at(-1));
      for (const action of meanwhile) await live(real, owner, action);
      real.advance(later);
      await assert.rejects(refresh(real, owner), isRefused);
      await assert.rejects(refresh(real, thief), isRefused);
      for (const token of [...thief.accessTokens, ...owner.accessTokens]) {
        await assert.rejects(async () => real.any().verifier.verify(token, null), { status: 401 });
      }
      assert.deepEqual(await eventsOf(real, owner), ['refresh_token.reused']);
    });
    await fc.assert(property, { numRuns });
  });
});
