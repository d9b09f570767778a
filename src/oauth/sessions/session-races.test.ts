import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { contexts } from '../../../test/harness/contexts.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { openSessions, type SessionInstances } from '../../../test/harness/session-instances.ts';
import { openSession, refreshSession } from '../../../test/harness/sessions.ts';
import { signToken } from '../../../test/harness/sign-token.ts';
import { commitAndInvalidate } from '../../database/bus.ts';
import { systemSource as source } from '../../http/request-source.ts';
import type { OAuthError, Problem } from '../../platform/errors.ts';
import { endSessions } from './end-sessions.ts';

const grace = 10_000;

interface Round {
  /** The number of tabs that refresh concurrently. */
  readonly tabs: number;
  /** Tabs that lose their response. If all do, the device comes back with its old token. */
  readonly lost: number;
  /** Tabs that use their tokens at once, while others still wait. */
  readonly eager: number;
  /** The user logs out while the tabs refresh. */
  readonly logout: boolean;
}

const round: fc.Arbitrary<Round> = fc.record({
  tabs: fc.integer({ min: 1, max: 5 }),
  lost: fc.nat(5),
  eager: fc.nat(5),
  logout: fc.oneof({ weight: 12, arbitrary: fc.constant(false) }, fc.constant(true)),
});
const devices = fc.array(fc.array(round, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 6 });

class Device {
  readonly #real: SessionInstances;
  readonly #id: string;
  #refreshToken: string;
  readonly #access: string[];
  #leaving = false;
  #loggedOut = false;

  private constructor(real: SessionInstances, id: string, refreshToken: string, access: string) {
    this.#real = real;
    this.#id = id;
    this.#refreshToken = refreshToken;
    this.#access = [access];
  }

  static async logIn(real: SessionInstances): Promise<Device> {
    const { context, sessions } = real.any();
    const { userId, clientId } = real;
    const row = await openSession({ context, sessions }, { userId, clientId, scopes: ['*'], source });
    return new Device(real, row.id, sessions.makeRefreshToken(row), signToken(sessions, row));
  }

  async live({ tabs, lost, eager, logout }: Round): Promise<void> {
    const refreshToken = this.#refreshToken;
    const leaving = logout ? this.#logOut() : undefined;
    const responses = await Promise.all(
      Array.from({ length: tabs }, async (_, tab) => {
        const { sessions } = this.#real.any();
        try {
          const { session, accessToken } = await refreshSession(sessions, {
            refreshToken,
            clientId: this.#real.clientId,
            source,
          });
          const successor = sessions.makeRefreshToken(session);
          this.#access.push(accessToken);
          if (tab < lost) return { successor, lost: true };
          // Stored before any token is used.
          this.#refreshToken = successor;
          if (tab < eager) await this.#use(accessToken);
          return { successor, lost: false };
        } catch (error) {
          if (this.#leaving) return undefined;
          throw new Error(`an honest device was refused: ${(error as OAuthError).reason}`);
        }
      }),
    );
    await leaving;
    const successors = new Set(responses.flatMap((response) => (response ? [response.successor] : [])));
    assert.ok(successors.size <= 1, 'the session forked');
    if (this.#loggedOut) return this.checkGone();
    assert.equal(successors.size, 1);
  }

  async #logOut(): Promise<void> {
    this.#leaving = true;
    const { context, sessions } = this.#real.any();
    await commitAndInvalidate(context.database, (tx, invalidate) =>
      endSessions(sessions, tx, invalidate, { sessionId: this.#id }, 'test'),
    );
    this.#loggedOut = true;
  }

  async #use(token: string): Promise<void> {
    try {
      await this.#real.any().verifier.verify(token, null);
    } catch (error) {
      assert.ok(this.#leaving);
      assert.equal((error as Problem).code, 'token_revoked');
    }
  }

  /** Sessions that were not logged out continue. No token of a logged-out session works. */
  async finish(): Promise<void> {
    if (this.#loggedOut) return this.checkGone();
    await this.live({ tabs: 1, lost: 0, eager: 0, logout: false });
    await this.#real.any().verifier.verify(this.#access.at(-1) as string, null);
  }

  async checkGone(): Promise<void> {
    for (const token of this.#access) {
      await assert.rejects(async () => this.#real.any().verifier.verify(token, null), { code: 'token_revoked' });
    }
    const rotation = { refreshToken: this.#refreshToken, clientId: this.#real.clientId, source };
    await assert.rejects(refreshSession(this.#real.any().sessions, rotation), { error: 'invalid_grant' });
  }
}

onBothEngines('Devices that refresh, use tokens and log out concurrently', (engine) => {
  const make = contexts(engine);

  it('never fork a session, and lose it only by a logout', { timeout: 600_000 }, async () => {
    const real = await openSessions(make, engine, { REFRESH_GRACE: String(grace / 1000) });
    const races = fc.asyncProperty(devices, async (plans) => {
      const all = await Promise.all(plans.map(async (plan) => ({ plan, device: await Device.logIn(real) })));
      const longest = Math.max(...plans.map((plan) => plan.length));
      for (let i = 0; i < longest; i++) {
        await Promise.all(all.map(({ plan, device }) => plan[i] && device.live(plan[i] as Round)));
        real.advance(grace + 1);
      }
      await Promise.all(all.map(({ device }) => device.finish()));
      const { db } = real.any().context.database;
      assert.deepEqual(await db.selectFrom('events').select('type').execute(), []);
    });
    await fc.assert(races, { numRuns: engine === 'sqlite' ? 60 : 40 });
  });
});
