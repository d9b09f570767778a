import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { addClient, addUser } from '../../test/harness/accounts.ts';
import { contexts, type TestContext } from '../../test/harness/contexts.ts';
import { onBothEngines } from '../../test/harness/engines.ts';
import { openKeyRing } from '../crypto/key-ring.ts';
import { changeAndTell } from '../database/bus.ts';
import type { OAuthError, Problem } from '../errors.ts';
import { systemOrigin as origin } from '../http/origin.ts';
import { createSessions, type Sessions } from './sessions.ts';

const grace = 10_000;
const accessLife = 60_000;
const refreshLife = 300_000;

/** What the rules say a session is, in the plainest terms. */
interface Model {
  readonly id: string;
  generation: number;
  rotatedAt: number;
  expiresAt: number;
  ended: boolean;
  readonly refreshTokens: string[];
  readonly accessTokens: { readonly value: string; readonly expiresAt: number }[];
}

interface Real {
  readonly context: TestContext;
  readonly sessions: Sessions;
  readonly userId: string;
  readonly clientId: string;
}

type Step =
  | { readonly kind: 'login' }
  | { readonly kind: 'refresh'; readonly who: number; readonly back: number; readonly times: number }
  | { readonly kind: 'logout' | 'revoke'; readonly who: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'end all' };

const who = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('login' as const) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('refresh' as const),
      who,
      // Mostly the newest token, often its predecessor, now and then an older one.
      back: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.constant(1) }, fc.nat(4)),
      times: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 4 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('logout' as const, 'revoke' as const), who }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 1, 500, grace - 1, grace, grace + 1, accessLife - 1, accessLife, 200_000, refreshLife),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end all' as const) }) },
);

const refreshStep = (back: number): Step => ({ kind: 'refresh', who: 0, back, times: 1 });
const waitStep = (ms: number): Step => ({ kind: 'wait', ms });
/** Paths that chance finds rarely: a life that slides with each refresh, and both sides of the end of the grace. */
const examples: [Step[]][] = [
  [[waitStep(200_000), refreshStep(0), waitStep(200_000), refreshStep(0)]],
  [[refreshStep(0), waitStep(grace), refreshStep(1), refreshStep(0)]],
  [[refreshStep(0), waitStep(grace + 1), refreshStep(1), refreshStep(0)]],
  [[refreshStep(0), refreshStep(0), refreshStep(2), refreshStep(0)]],
];

const live = (session: Model, now: number): boolean => !session.ended && now < session.expiresAt;

function noteRefreshToken({ sessions }: Real, model: Model): void {
  model.refreshTokens[model.generation] = sessions.refreshToken(model);
}

async function logIn(real: Real, models: Model[]): Promise<void> {
  const { context, sessions, userId, clientId } = real;
  const row = await sessions.open(context.database.db, { userId, clientId, scopes: ['*'], origin });
  const model: Model = {
    id: row.id,
    generation: 0,
    rotatedAt: 0,
    expiresAt: context.now() + refreshLife,
    ended: false,
    refreshTokens: [],
    accessTokens: [{ value: sessions.accessToken(row), expiresAt: expiryOf(context.now()) }],
  };
  noteRefreshToken(real, model);
  models.push(model);
}

const expiryOf = (now: number): number => Math.floor(now / 1000) * 1000 + accessLife;

/** Sends one refresh token several times at once and holds the answers against the rules. */
async function refresh(real: Real, model: Model, back: number, times: number): Promise<void> {
  const { context, sessions, clientId } = real;
  const now = context.now();
  const generation = Math.max(0, model.generation - back);
  const refreshToken = model.refreshTokens[generation] as string;
  const answers = await Promise.allSettled(
    Array.from({ length: times }, () => sessions.rotate({ refreshToken, clientId, origin })),
  );
  const rows = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.session] : []));
  for (const answer of answers)
    if (answer.status === 'rejected') assert.equal((answer.reason as OAuthError).error, 'invalid_grant');

  const isCurrent = generation === model.generation;
  const isRetry = generation === model.generation - 1 && now - model.rotatedAt <= grace;
  if (!live(model, now)) return assert.equal(rows.length, 0, 'an ended session gave tokens');
  if (!isCurrent && !isRetry) {
    assert.equal(rows.length, 0, 'a used token gave tokens');
    model.ended = true;
    return;
  }
  assert.equal(rows.length, times, 'a good token was refused');
  if (isCurrent) {
    model.generation++;
    model.rotatedAt = now;
    model.expiresAt = now + refreshLife;
    noteRefreshToken(real, model);
  }
  for (const row of rows) {
    assert.equal(sessions.refreshToken(row), model.refreshTokens[model.generation], 'a second successor');
    model.accessTokens.push({ value: sessions.accessToken(row), expiresAt: Math.min(expiryOf(now), model.expiresAt) });
  }
}

async function end({ context, sessions, userId }: Real, model: Model | 'all', models: Model[]): Promise<void> {
  await changeAndTell(context.database, (tx, tell) =>
    sessions.end(tx, tell, model === 'all' ? { userId } : { sessionId: model.id }, 'test'),
  );
  for (const ended of model === 'all' ? models : [model]) ended.ended = true;
}

/** Every access token ever given out is good exactly as long as it and its session are. */
async function checkAccess({ context, sessions }: Real, models: readonly Model[]): Promise<void> {
  const now = context.now();
  for (const model of models) {
    for (const { value, expiresAt } of model.accessTokens) {
      const code = await Promise.resolve()
        .then(() => sessions.verify(value, null))
        .then(
          () => 'good',
          (problem: Problem) => problem.code,
        );
      const expected = now >= expiresAt ? 'token_expired' : model.ended ? 'token_revoked' : 'good';
      // A session that has expired has no access token left that has not.
      assert.equal(code, expected);
    }
  }
}

async function run(real: Real, steps: readonly Step[]): Promise<void> {
  const models: Model[] = [];
  await logIn(real, models);
  for (const step of steps) {
    const model = 'who' in step ? (models[step.who % models.length] as Model) : undefined;
    if (step.kind === 'login') await logIn(real, models);
    else if (step.kind === 'refresh') await refresh(real, model as Model, step.back, step.times);
    else if (step.kind === 'wait') real.context.advance(step.ms);
    else if (step.kind === 'end all') await end(real, 'all', models);
    else await end(real, model as Model, models);
    await checkAccess(real, models);
  }
  await real.sessions.prune();
  await checkAccess(real, models);
  await end(real, 'all', models);
}

onBothEngines('the session state machine', (engine) => {
  const make = contexts(engine);

  it('never forks, never outlives its end, and never signs anybody out without cause', {
    timeout: 80_000,
  }, async () => {
    const context = await make({
      env: {
        REFRESH_GRACE: String(grace / 1000),
        ACCESS_TOKEN_TTL: String(accessLife / 1000),
        REFRESH_TOKEN_TTL: String(refreshLife / 1000),
      },
    });
    const keys = await openKeyRing(context);
    const { id: userId } = await addUser(context);
    const { id: clientId } = await addClient({ context, keys }, { type: 'password' });
    const real: Real = { context, sessions: createSessions(context, keys), userId, clientId };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => run(real, steps)),
      { numRuns: engine === 'sqlite' ? 150 : 100, examples },
    );
  });
});
