import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { addUser } from '../../../test/harness/accounts.ts';
import { addApplication } from '../../../test/harness/applications.ts';
import { challenge, redirectUri, verifier } from '../../../test/harness/authorizing.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { request } from '../../../test/harness/request.ts';
import { type Service, services } from '../../../test/harness/service.ts';
import { openSession } from '../../../test/harness/sessions.ts';
import { systemSource as source } from '../../http/request-source.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { authorizationCodeGrant } from '../grants/authorization-code.ts';
import { authenticatedBy } from '../sessions/store/session-store.ts';
import { grantAccess, pruneCodes } from './authorization-codes.ts';
import { findConsent } from './consent-store.ts';
import { findBrowserLogin } from './next-step.ts';

const life = 60_000;
const wrongs = ['client', 'verifier', 'redirect'] as const;

type Step =
  | { readonly kind: 'authorize'; readonly offline: boolean }
  | { readonly kind: 'redeem'; readonly which: number; readonly times: number }
  | { readonly kind: 'redeem wrongly'; readonly which: number; readonly how: (typeof wrongs)[number] }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'redeem meanwhile'; readonly which: number; readonly end: 'withdraw' | 'log out' }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'log out' };

const which = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('authorize' as const), offline: fc.boolean() }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('redeem' as const),
      which,
      times: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.constantFrom(2, 3)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('redeem wrongly' as const), which, how: fc.constantFrom(...wrongs) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, life / 3, life) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('redeem meanwhile' as const),
      which,
      end: fc.constantFrom('withdraw' as const, 'log out' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('log out' as const) }) },
);

/** A model of an authorization code. */
interface Code {
  readonly value: string;
  readonly expiresAt: number;
  readonly login: number;
  readonly offline: boolean;
  spent: boolean;
  gone: boolean;
  session: { readonly token: string; ended: boolean } | undefined;
}

onBothEngines('An authorization code', (engine) => {
  const start = services(engine);
  let service: Service;
  let client: StoredClient;
  let other: StoredClient;
  before(async () => {
    service = await start({ env: { ACCESS_TOKEN_TTL: '1000000' } });
    const scopes = ['openid', 'users:read', 'offline_access'];
    const find = async ({ id }: { id: string }) => (await service.clients.find(id)) ?? assert.fail();
    client = await find(await addApplication(service, { scopes, public: true }));
    other = await find(await addApplication(service, { scopes, public: true }));
  });

  /** One user, and the actions of the user and of the application. */
  class World {
    readonly codes: Code[] = [];
    login = 0;
    #token = '';
    #userId = '';

    async begin(): Promise<void> {
      this.#userId = (await addUser(service.context)).id;
      await this.#logIn();
    }

    async #logIn(): Promise<void> {
      const authentication = authenticatedBy(['pwd'], service.context.now());
      const session = { userId: this.#userId, clientId: 'web-admin', scopes: ['*'], source, authentication };
      this.#token = await service.sessions.signAccessToken(await openSession(service, session));
    }

    async run(step: Step): Promise<void> {
      if (step.kind === 'authorize') return this.#authorize(step.offline);
      if (step.kind === 'wait') return service.advance(step.ms);
      if (step.kind === 'withdraw') return this.#withdraw();
      if (step.kind === 'log out') return this.#logOut();
      const code = this.codes.at(-1 - step.which);
      if (!code) return;
      if (step.kind === 'redeem') return this.#redeem(code, step.times);
      if (step.kind === 'redeem meanwhile') return this.#redeemMeanwhile(code, step.end);
      await this.#refused(code, step.how);
    }

    async #authorize(offline: boolean): Promise<void> {
      const login = await findBrowserLogin(service.oauth, await service.verifier.verify(this.#token, null));
      if (!login) assert.fail('the session has no login');
      const scopes = ['openid', 'users:read', ...(offline ? ['offline_access'] : [])];
      const rest = {
        state: undefined,
        claims: undefined,
        responseMode: 'query' as const,
        prompt: new Set<never>(),
        maxAge: undefined,
        acr: undefined,
        nonce: undefined,
        ...{ authorizationDetails: undefined, pushedId: undefined, jkt: undefined },
        resource: [],
      };
      const request = { client, redirectUri, requestedScopes: scopes, scopes, codeChallenge: challenge, ...rest };
      const value = await grantAccess(service.oauth, { request, login, scopes, shownScopes: scopes, source });
      const expiresAt = service.context.now() + life;
      const created = { value, expiresAt, login: this.login, offline, spent: false, gone: false, session: undefined };
      this.codes.push(created);
    }

    #present(code: Code, how?: (typeof wrongs)[number]) {
      const parameters = new Map([
        ['code', code.value],
        ['redirect_uri', how === 'redirect' ? 'https://other.example/' : redirectUri],
        ['code_verifier', how === 'verifier' ? 'w'.repeat(43) : verifier],
      ]);
      const request = { client: how === 'client' ? other : client, parameters, source };
      return authorizationCodeGrant.issue(service.oauth, request);
    }

    async #refused(code: Code, how?: (typeof wrongs)[number]): Promise<void> {
      await assert.rejects(this.#present(code, how), { error: 'invalid_grant' });
      if (code.session) code.session.ended = true;
      code.spent = true;
    }

    async #redeem(code: Code, times: number): Promise<void> {
      const isFresh = !code.spent && !code.gone && code.expiresAt > service.context.now();
      const isGood = isFresh && code.login === this.login;
      const results = await Promise.allSettled(Array.from({ length: times }, () => this.#present(code)));
      const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      assert.equal(won.length, isGood ? 1 : 0, `${won.length} of ${times} requests got tokens`);
      if (code.session && (code.spent || times > 1)) code.session.ended = true;
      if (won[0]) code.session = { token: await service.sessions.signAccessToken(won[0].session), ended: times > 1 };
      if (!code.gone) code.spent = true;
    }

    /** A redemption and an end of the authorization at the same time. In either order, no token stays valid. */
    async #redeemMeanwhile(code: Code, end: 'withdraw' | 'log out'): Promise<void> {
      const before = code.session;
      const [won] = await Promise.allSettled([
        this.#present(code),
        end === 'withdraw' ? this.#withdraw() : this.#logOut(),
      ]);
      if (before) before.ended = true;
      if (won.status === 'fulfilled') {
        assert.equal(before, undefined);
        const token = await service.sessions.signAccessToken(won.value.session);
        code.session = { token, ended: end === 'withdraw' || !code.offline };
      }
      // The code is spent, or was withdrawn before.
      code.spent = true;
    }

    async #withdraw(): Promise<void> {
      const consent = await findConsent(service.context.database.db, { userId: this.#userId, clientId: client.id });
      if (!consent) return;
      const { status } = await request(service, `/v1/consents/${consent.id}`, { method: 'DELETE', token: this.#token });
      assert.equal(status, 204);
      for (const code of this.codes) {
        if (!code.spent) code.gone = true;
        if (code.session) code.session.ended = true;
      }
    }

    /** Offline access continues without the browser session. */
    async #logOut(): Promise<void> {
      await request(service, '/v1/logout', { method: 'DELETE', token: this.#token });
      for (const { session, login, offline } of this.codes) {
        if (session && login === this.login && !offline) session.ended = true;
      }
      this.login++;
      await this.#logIn();
    }

    async check(): Promise<void> {
      for (const { session } of this.codes) {
        if (!session) continue;
        const { status } = await request(service, '/v1/users/me', { token: session.token });
        assert.equal(status, session.ended ? 401 : 200);
      }
    }
  }

  it('gives tokens once, and none that outlive its session or consent, in any order of events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const world = new World();
        await world.begin();
        for (const step of steps) {
          await world.run(step);
          await world.check();
        }
      }),
      { numRuns: 25 },
    );
  });

  it('is deleted after a day', async () => {
    const left = () => service.context.database.db.selectFrom('authorization_codes').select('id').execute();
    const world = new World();
    await world.begin();
    await world.run({ kind: 'authorize', offline: false });
    await world.run({ kind: 'redeem', which: 0, times: 1 });
    await pruneCodes(service.context);
    assert.ok((await left()).length > 0);
    service.advance(life + 24 * 3_600_000 + 1);
    await pruneCodes(service.context);
    assert.deepEqual(await left(), []);
  });
});
