import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addClient, addLogin, password } from './harness/accounts.ts';
import { addApplication } from './harness/applications.ts';
import { onBothEngines } from './harness/engines.ts';
import { request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';
import { Visitor } from './harness/visitor.ts';

const hours = 3_600_000;
/** Long, so that delays on a busy machine do not matter. */
const grace = 300_000;

interface Tokens {
  readonly status: number;
  readonly access: string;
  readonly refresh: string;
}

onBothEngines('A refresh whose response is lost', (engine) => {
  const start = services(engine);
  let service: Service;
  let email: string;
  let robot: { id: string; secret: string };
  before(async () => {
    service = await start({ env: { TRUST_PROXY: 'true', REFRESH_GRACE: String(grace / 1000) } });
    email = (await addLogin(service)).email;
    robot = await addClient(service);
  });

  const post = async (path: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
    const { status, body } = await request(service, `/v1${path}`, { form, headers });
    return { status, access: body.access_token, refresh: body.refresh_token } as Tokens;
  };
  const logIn = () => post('/clients/web/admin/login', { email, password });
  const refresh = (token: string, headers = {}) =>
    post('/clients/web/admin/refresh', { refresh_token: token }, headers);
  const me = async (token: string) => (await request(service, '/v1/users/me', { token })).status;
  const events = async (token: string) =>
    service.context.database.db
      .selectFrom('events')
      .selectAll()
      .where('session_id', '=', token.split('.')[0] as string)
      .where('type', 'like', 'refresh_token.%')
      .execute();

  it('returns the same successor hours later, even if the old access token was used meanwhile', async () => {
    const first = await logIn();
    const lost = await refresh(first.refresh);
    assert.equal(await me(first.access), 200);
    for (const wait of [grace + 1, 5 * hours, 200 * hours]) {
      service.advance(wait);
      const again = await refresh(first.refresh);
      assert.deepEqual([again.status, again.refresh], [200, lost.refresh]);
    }
    const arrived = await refresh(first.refresh);
    assert.equal(await me(arrived.access), 200);
    service.advance(grace / 2);
    assert.equal((await refresh(first.refresh)).refresh, lost.refresh, 'within the grace period after the first use');
    service.advance(grace / 2 + 1);
    assert.equal((await refresh(first.refresh)).status, 400);
    assert.equal(await me(arrived.access), 401);
    assert.deepEqual(
      (await events(first.refresh)).map(({ type }) => type),
      ['refresh_token.reused'],
    );
  });

  it('returns it with the cookie of a proxy too', async () => {
    const { refresh: kept } = await logIn();
    const byCookie = () => post('/clients/web/admin/refresh', {}, { cookie: `refreshToken=${kept}` });
    const lost = await byCookie();
    service.advance(7 * hours);
    const again = await byCookie();
    assert.deepEqual([again.status, again.refresh], [200, lost.refresh]);
    assert.equal(await me(again.access), 200);
  });

  it('returns it for a client without a user too', async () => {
    const asRobot = (form: Record<string, string>) =>
      post('/oauth/token', { client_id: robot.id, client_secret: robot.secret, ...form });
    const first = await asRobot({ grant_type: 'client_credentials' });
    const again = () => asRobot({ grant_type: 'refresh_token', refresh_token: first.refresh });
    const lost = await again();
    service.advance(7 * hours);
    assert.equal((await again()).refresh, lost.refresh);
  });

  it('keeps a browser signed in that lost the response of a page or a form', async () => {
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    await visitor.get('/settings');
    service.advance(2 * hours);
    const kept = new Map(visitor.cookies);
    const lose = async (visit: Promise<{ status: number; location: string | null }>) => {
      const { status, location } = await visit;
      for (const [name, value] of kept) visitor.cookies.set(name, value);
      return [status, location];
    };
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(await lose(visitor.get('/settings/sessions')), [200, null]);
      service.advance(3 * hours);
      const sent = lose(visitor.send('/settings/sessions/end-others', {}));
      assert.deepEqual(await sent, [303, '/settings/sessions?done=others-ended']);
      service.advance(3 * hours);
    }
    assert.equal((await visitor.get('/settings')).status, 200);
    assert.notEqual(visitor.cookies.get('session'), kept.get('session'));
    assert.equal((await visitor.get('/settings')).status, 200);
    service.advance(grace + 1);
    const thief = new Visitor(service);
    for (const [name, value] of kept) thief.cookies.set(name, value);
    assert.equal((await thief.get('/settings')).status, 302);
    assert.equal((await visitor.get('/settings')).status, 302, 'the session ended with the theft');
  });

  it('counts an introspection of the access token as its first use', async () => {
    const server = await addClient(service, { scopes: ['tokens:introspect'] });
    const introspect = async (token: string, by = server) => {
      const form = { client_id: by.id, client_secret: by.secret, token };
      return (await request(service, '/v1/oauth/introspect', { form })).body.active;
    };
    const first = await logIn();
    const next = await refresh(first.refresh);
    assert.equal(await introspect(next.access, robot), false, 'a client without the right to introspect uses nothing');
    service.advance(grace + 1);
    assert.equal((await refresh(first.refresh)).refresh, next.refresh);
    assert.equal(await introspect(next.access), true);
    service.advance(grace + 1);
    assert.equal((await refresh(first.refresh)).status, 400);
  });

  it('does not count an exchange of the old access token as a use of the new one', async () => {
    const server = await addApplication(service, { scopes: ['openid', 'tokens:exchange'] });
    const first = await logIn();
    const lost = await refresh(first.refresh);
    const exchanged = await post('/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: first.access,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      client_id: server.id,
      client_secret: server.secret as string,
    });
    assert.equal(await me(exchanged.access), 200);
    service.advance(grace + 1);
    assert.equal((await refresh(first.refresh)).refresh, lost.refresh);
  });

  it('is recorded once when it is retried from another network or device', async () => {
    const from = (address: string, agent = 'app/1') => ({ 'x-forwarded-for': address, 'user-agent': agent });
    const first = await logIn();
    const { refresh: next } = await refresh(first.refresh, from('2001:db8:1::1'));
    await refresh(first.refresh, from('2001:db8:1::2'));
    assert.deepEqual(await events(next), []);
    await refresh(first.refresh, from('192.0.2.7'));
    await refresh(first.refresh, from('2001:db8:1::1', 'app/2'));
    const [event, ...more] = await events(next);
    assert.equal(more.length, 0);
    assert.deepEqual(
      [event?.type, event?.address, event?.user_agent, JSON.parse(event?.data ?? '{}')],
      [
        'refresh_token.retried',
        '192.0.2.7',
        'app/1',
        { generation: 1, first_address: '2001:db8:1::1', first_user_agent: 'app/1' },
      ],
    );
    const { refresh: third } = await refresh(next, from('192.0.2.7'));
    await Promise.all(['app/2', 'app/3', 'app/4'].map((agent) => refresh(next, from('192.0.2.7', agent))));
    assert.equal((await events(third)).length, 2);
  });

  it('is compared with the first attempt, regardless of other uses of the session', async () => {
    const owner = { 'x-forwarded-for': '192.0.2.1', 'user-agent': 'app/1' };
    const first = await post('/clients/web/admin/login', { email, password }, owner);
    await refresh(first.refresh, { ...owner, 'x-forwarded-for': '198.51.100.9' });
    service.advance(120_000);
    await request(service, '/v1/users/me', { token: first.access, headers: owner });
    await service.verifier.flush();
    await refresh(first.refresh, owner);
    assert.deepEqual(
      (await events(first.refresh)).map(({ type, address }) => [type, address]),
      [['refresh_token.retried', '192.0.2.1']],
    );
  });
});
