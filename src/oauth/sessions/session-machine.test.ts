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
import { endSessions, pruneSessions } from './end-sessions.ts';

const grace = 10_000;
const accessLife = 60_000;
const refreshLife = 300_000;

/** A model of a session. */
interface Model {
  readonly id: string;
  generation: number;
  /** When a token of the newest generation was first used. */
  usedAt: number | null;
  expiresAt: number;
  ended: boolean;
  readonly refreshTokens: string[];
  readonly accessTokens: { readonly value: string; readonly generation: number; readonly expiresAt: number }[];
}

type Step =
  | { readonly kind: 'login' }
  | { readonly kind: 'refresh'; readonly who: number; readonly back: number; readonly times: number }
  | { readonly kind: 'use'; readonly who: number; readonly which: number }
  | { readonly kind: 'logout' | 'crash'; readonly who: number }
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
      // Mostly the newest token, often its predecessor, sometimes an older one.
      back: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.constant(1) }, fc.nat(4)),
      times: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 4 })),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('use' as const), who, which: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('logout' as const, 'crash' as const), who }) },
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
const useStep: Step = { kind: 'use', who: 0, which: 0 };
const waitStep = (ms: number): Step => ({ kind: 'wait', ms });
/** Rare paths: each refresh extends the session, a response is lost for a long time, the grace period ends. */
const examples: [Step[]][] = [
  [[waitStep(200_000), refreshStep(0), waitStep(200_000), refreshStep(0)]],
  [[refreshStep(0), waitStep(200_000), refreshStep(1), waitStep(200_000), refreshStep(1)]],
  [[refreshStep(0), useStep, waitStep(grace), refreshStep(1), refreshStep(0)]],
  [[refreshStep(0), useStep, waitStep(grace + 1), refreshStep(1), refreshStep(0)]],
  [[refreshStep(0), { kind: 'use', who: 0, which: 1 }, waitStep(grace + 1), refreshStep(1), refreshStep(0)]],
  [[refreshStep(0), refreshStep(0), refreshStep(2), refreshStep(0)]],
];

const live = (session: Model, now: number): boolean => !session.ended && now < session.expiresAt;

const expiryOf = (now: number): number => Math.floor(now / 1000) * 1000 + accessLife;

async function logIn(real: SessionInstances, models: Model[]): Promise<void> {
  const { userId, clientId } = real;
  const { context, sessions } = real.any();
  const row = await openSession({ context, sessions }, { userId, clientId, scopes: ['*'], source });
  models.push({
    id: row.id,
    generation: 0,
    usedAt: null,
    expiresAt: real.now() + refreshLife,
    ended: false,
    refreshTokens: [sessions.makeRefreshToken(row)],
    accessTokens: [{ value: signToken(sessions, row), generation: 0, expiresAt: expiryOf(real.now()) }],
  });
}

/** Sends one refresh token several times concurrently and checks the responses against the rules. */
async function refresh(real: SessionInstances, model: Model, back: number, times: number): Promise<void> {
  const now = real.now();
  const generation = Math.max(0, model.generation - back);
  const refreshToken = model.refreshTokens[generation] as string;
  const responses = await Promise.allSettled(
    Array.from({ length: times }, () =>
      refreshSession(real.any().sessions, { refreshToken, clientId: real.clientId, source }),
    ),
  );
  const rows = responses.flatMap((response) => (response.status === 'fulfilled' ? [response.value.session] : []));
  for (const response of responses)
    if (response.status === 'rejected') assert.equal((response.reason as OAuthError).error, 'invalid_grant');

  const isCurrent = generation === model.generation;
  const isRetry = generation === model.generation - 1 && (model.usedAt === null || now - model.usedAt <= grace);
  if (!live(model, now)) return assert.equal(rows.length, 0, 'an ended session issued tokens');
  if (!isCurrent && !isRetry) {
    assert.equal(rows.length, 0, 'a used refresh token issued tokens');
    model.ended = true;
    return;
  }
  assert.equal(rows.length, times, 'a valid refresh token was refused');
  const { sessions } = real.any();
  if (isCurrent) {
    model.generation++;
    model.usedAt = null;
    model.expiresAt = now + refreshLife;
    model.refreshTokens.push(sessions.makeRefreshToken(model));
  }
  for (const row of rows) {
    assert.equal(
      sessions.makeRefreshToken(row),
      model.refreshTokens[model.generation],
      'the session has a second successor',
    );
    assert.equal(row.expires_at, model.expiresAt, 'a retry extended the session');
    model.accessTokens.push({
      value: signToken(sessions, row),
      generation: model.generation,
      expiresAt: Math.min(expiryOf(now), model.expiresAt),
    });
  }
}

async function end(real: SessionInstances, model: Model | 'all', models: Model[]): Promise<void> {
  const { context, sessions } = real.any();
  await commitAndInvalidate(context.database, (tx, invalidate) =>
    endSessions(sessions, tx, invalidate, model === 'all' ? { userId: real.userId } : { sessionId: model.id }, 'test'),
  );
  for (const ended of model === 'all' ? models : [model]) ended.ended = true;
}

/** An access token is valid exactly as long as it and its session are valid. */
async function use(real: SessionInstances, model: Model, token: Model['accessTokens'][number]): Promise<void> {
  const now = real.now();
  const code = await Promise.resolve()
    .then(() => real.any().verifier.verify(token.value, null))
    .then(
      () => 'good',
      (problem: Problem) => problem.code,
    );
  // The access tokens of an expired session have expired too.
  const expected = now >= token.expiresAt ? 'token_expired' : model.ended ? 'token_revoked' : 'good';
  assert.equal(code, expected);
  if (code === 'good' && token.generation === model.generation) model.usedAt ??= now;
}

async function tryAll(real: SessionInstances, models: readonly Model[]): Promise<void> {
  for (const model of models) for (const token of model.accessTokens) await use(real, model, token);
}

async function run(real: SessionInstances, steps: readonly Step[]): Promise<void> {
  const models: Model[] = [];
  const modelOf = ({ who: index }: { readonly who: number }) => models[index % models.length] as Model;
  await logIn(real, models);
  for (const step of steps) {
    if (step.kind === 'login') await logIn(real, models);
    else if (step.kind === 'refresh') await refresh(real, modelOf(step), step.back, step.times);
    else if (step.kind === 'use') {
      const model = modelOf(step);
      const token = model.accessTokens.at(-1 - (step.which % model.accessTokens.length));
      await use(real, model, token as NonNullable<typeof token>);
    } else if (step.kind === 'wait') real.advance(step.ms);
    else if (step.kind === 'crash') real.crash();
    else await end(real, step.kind === 'end all' ? 'all' : modelOf(step), models);
  }
  await tryAll(real, models);
  await pruneSessions(real.any().context);
  await tryAll(real, models);
  await end(real, 'all', models);
  await tryAll(real, models);
}

onBothEngines('The state machine of sessions', (engine) => {
  const make = contexts(engine);

  it('never forks a session, never extends it beyond its end, and never ends it without a reason', {
    timeout: 600_000,
  }, async () => {
    const real = await openSessions(make, engine, {
      REFRESH_GRACE: String(grace / 1000),
      ACCESS_TOKEN_TTL: String(accessLife / 1000),
      REFRESH_TOKEN_TTL: String(refreshLife / 1000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => run(real, steps)),
      { numRuns: engine === 'sqlite' ? 150 : 100, examples },
    );
  });
});
