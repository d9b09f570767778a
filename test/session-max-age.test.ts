import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addLogin, password } from './harness/accounts.ts';
import { databases, onBothEngines } from './harness/engines.ts';
import { type JsonResponse, request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';
import { declareProvider } from './harness/upstream.ts';

const hour = 3_600_000;

type Tokens = { access_token: string; refresh_token: string; expires_in: number; error?: string };
type Listed = { data: { type: string; created_at: string; expires_at: string }[] };

onBothEngines('SESSION_MAX_AGE', (engine) => {
  const start = services(engine);
  const create = databases(engine);

  const proxy = '/v1/clients/web/admin';
  const logIn = async (service: Service, email: string) =>
    request<Tokens>(service, `${proxy}/login`, { json: { email, password } });
  const refresh = (service: Service, refresh_token: string) =>
    request<Tokens>(service, `${proxy}/refresh`, { json: { refresh_token } });
  const me = (service: Service, token: string) => request<{ code?: string }>(service, '/v1/users/me', { token });
  const cookieLife = ({ headers }: JsonResponse<unknown>) =>
    Number(/Max-Age=(\d+)/.exec(headers.getSetCookie().find((set) => set.startsWith('refreshToken=')) ?? '')?.[1]);
  const livesOf = async (service: Service, token: string, type: string) => {
    const { body } = await request<Listed>(service, '/v1/tokens', { token });
    const listed = body.data.filter((entry) => entry.type === type);
    return listed.map(({ created_at, expires_at }) => Date.parse(expires_at) - Date.parse(created_at));
  };
  const between = (value: number, low: number, high: number) =>
    assert.ok(value > low && value <= high, `${value} is not in (${low}, ${high}]`);

  it('ends a session with its tokens and cookies despite refreshes, but no personal access token', async () => {
    const service = await start({ env: { SESSION_MAX_AGE: '36000', ACCESS_TOKEN_TTL: '14400' } });
    const { id, email } = await addLogin(service);
    const login = await logIn(service, email);
    between(cookieLife(login), 35_000, 36_000);
    const { body: made } = await request<{ data: { access_token: string } }>(service, '/v1/tokens', {
      token: login.body.access_token,
      json: { name: 'for later' },
    });

    service.advance(3 * hour);
    const early = await refresh(service, login.body.refresh_token);
    assert.equal(early.body.expires_in, 14_400);
    service.advance(5 * hour);
    const late = await refresh(service, early.body.refresh_token);
    between(late.body.expires_in, 6000, 7200);
    between(cookieLife(late), 6000, 7200);
    const repeated = await refresh(service, early.body.refresh_token);
    between(cookieLife(repeated), 6000, 7200);
    assert.deepEqual(await livesOf(service, late.body.access_token, 'session'), [10 * hour]);

    service.advance(2 * hour);
    assert.equal((await me(service, late.body.access_token)).body.code, 'token_expired');
    for (const token of [late.body.refresh_token, early.body.refresh_token]) {
      assert.equal((await refresh(service, token)).body.error, 'invalid_grant');
    }
    assert.equal((await me(service, made.data.access_token)).status, 200);
    const events = await service.context.database.db
      .selectFrom('events')
      .select('type')
      .where('user_id', '=', id)
      .where('type', 'like', 'refresh_token.%')
      .execute();
    assert.deepEqual(events, [], 'the end of a session is not recorded as theft');
  });

  it('applies to earlier sessions too', async () => {
    const database = await create();
    const before = await start({ database, env: { ACCESS_TOKEN_TTL: '86400' } });
    const { email } = await addLogin(before);
    const login = await logIn(before, email);
    const next = await refresh(before, login.body.refresh_token);
    await before.close();

    const service = await start({ database, env: { ACCESS_TOKEN_TTL: '86400', SESSION_MAX_AGE: '36000' } });
    assert.deepEqual(await livesOf(service, next.body.access_token, 'session'), [10 * hour]);
    service.advance(9 * hour);
    assert.equal((await me(service, next.body.access_token)).status, 200);
    const last = await refresh(service, next.body.refresh_token);
    between(cookieLife(last), 2000, 3600);
    service.advance(hour);
    assert.equal((await me(service, next.body.access_token)).body.code, 'token_expired', 'a cached token');
    assert.equal((await me(service, login.body.access_token)).body.code, 'token_expired', 'a token that is not cached');
    assert.equal((await refresh(service, last.body.refresh_token)).body.error, 'invalid_grant');
  });

  it('changes nothing if the start fails because of an invalid provider', async () => {
    const database = await create();
    const service = await start({ database });
    await logIn(service, (await addLogin(service)).email);
    const { db } = service.context.database;
    const read = async () => ({
      sessions: await db.selectFrom('sessions').select(['id', 'expires_at']).orderBy('id').execute(),
      events: await db.selectFrom('events').select(['id', 'type']).orderBy('id').execute(),
    });
    const before = await read();
    assert.ok(before.sessions.length > 0);
    const PROVIDERS_DIR = declareProvider(database.dir, { name: 'acme' }, "issuer: 'not a URL'");
    const env = { PROVIDERS_DIR, SESSION_MAX_AGE: '36000' };
    await assert.rejects(start({ database, env }), /acme.*issuer/s);
    assert.deepEqual(await read(), before);
  });
});
