import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { prunePushedRequests } from '../../src/oauth/authorize/pushed-request-store.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import {
  authorizationResponseIn,
  authorizePath,
  challenge,
  formOf,
  press,
  redirectUri,
  signedIn,
} from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const minute = 60_000;

const pushRequest = (service: Service, form: Record<string, string>) =>
  request<{ request_uri: string }>(service, '/oauth/par', { form });

/** Pushes a request. Returns the path to which the application redirects the browser. */
async function push(service: Service, parameters: Record<string, string> = {}): Promise<string> {
  const app = await addApplication(service);
  const client = { client_id: app.id, client_secret: app.secret ?? '' };
  const plain = { response_type: 'code', redirect_uri: redirectUri, state: 's' };
  const { status, body, text } = await pushRequest(service, { ...client, ...plain, ...parameters });
  assert.equal(status, 201, text);
  return `/oauth/authorize?${new URLSearchParams({ client_id: app.id, request_uri: body.request_uri })}`;
}

/** An application that signs its requests. They expire after a minute. */
async function addSigning(service: Service) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const app = await addApplication(service, { jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1' }] } });
  const at = Math.floor(service.context.now() / 1000);
  const object = await new SignJWT({
    ...{ client_id: app.id, response_type: 'code', redirect_uri: redirectUri },
    ...{ code_challenge: challenge, code_challenge_method: 'S256', state: 's' },
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuer(app.id)
    .setAudience(service.context.config.baseUrl)
    .setExpirationTime(at + 60)
    .sign(privateKey);
  return { client_id: app.id, client_secret: app.secret ?? '', request: object };
}

onBothEngines('A pushed request', (engine) => {
  const start = services(engine);

  const wait = async (service: Service, ms: number) => {
    service.advance(ms);
    await prunePushedRequests(service.context);
  };

  it('lets the user sign in and decide for up to an hour', async () => {
    const service = await start();
    const user = await addLogin(service);
    const visitor = new Visitor(service);
    const login = await visitor.get(await push(service));
    const next = new URL(login.location ?? '', service.url).searchParams.get('next') ?? assert.fail('no login page');
    await wait(service, 10 * minute);
    const back = await visitor.signIn(user.email, password, next);
    const question = await visitor.get(back.location ?? '');
    await wait(service, 10 * minute);
    assert.ok(authorizationResponseIn(await press(visitor, question, 'allow')).code);
  });

  it('lets a user who was signed in decide for up to an hour', async () => {
    const service = await start();
    const { visitor } = await signedIn(service);
    const question = await visitor.get(await push(service));
    await wait(service, 59 * minute);
    assert.ok(authorizationResponseIn(await press(visitor, question, 'allow')).code);
  });

  it('lets the user choose an account for up to an hour', async () => {
    const service = await start();
    const { visitor } = await signedIn(service);
    const chooser = await visitor.get(await push(service, { prompt: 'select_account' }));
    await wait(service, 20 * minute);
    const chosen = await press(visitor, chooser, 'this-account');
    const question = await visitor.get(chosen.location ?? '');
    await wait(service, 20 * minute);
    assert.ok(authorizationResponseIn(await press(visitor, question, 'allow')).code);
  });

  it('that is signed does not expire while the user decides, pushed or not', async () => {
    const service = await start();
    const { visitor } = await signedIn(service);
    const { client_secret, ...signed } = await addSigning(service);
    const pushed = await pushRequest(service, { ...signed, client_secret });
    assert.equal(pushed.status, 201, pushed.text);
    const { client_id } = signed;
    const reference = new URLSearchParams({ client_id, request_uri: pushed.body.request_uri });
    const direct = `/oauth/authorize?${new URLSearchParams(signed)}`;
    const question = await visitor.get(direct);
    await wait(service, 4 * minute);
    const pushedQuestion = await visitor.get(`/oauth/authorize?${reference}`);
    await wait(service, 30 * minute);
    for (const page of [question, pushedQuestion])
      assert.ok(authorizationResponseIn(await press(visitor, page, 'allow')).code);
    assert.equal((await visitor.get(direct)).status, 400, 'a new visit with an expired request');
    const forged = formOf(await visitor.get(authorizePath(client_id)));
    const request = Buffer.from(direct.slice(direct.indexOf('?') + 1)).toString('base64url');
    const decided = await visitor.send('/oauth/authorize/decision', { ...forged, request, decision: 'allow' });
    assert.equal(decided.status, 400, 'a request that was never accepted');
  });

  it('of a public client is limited and counted', async () => {
    const service = await start({ env: { RATE_LIMIT: '5' } });
    const { id } = await addApplication(service, { public: true });
    const form = { client_id: id, response_type: 'code', redirect_uri: redirectUri, code_challenge: challenge };
    const send = (state: string) => pushRequest(service, { ...form, code_challenge_method: 'S256', state });
    assert.equal((await send('s'.repeat(10_000))).status, 400);
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await send('s')).status);
    assert.deepEqual(statuses, [201, 201, 201, 201, 429]);
  });

  it('of a client that registered itself is limited for its network, and in total', async () => {
    const service = await start();
    const { id, secret = '' } = await addApplication(service);
    const { db } = service.context.database;
    await db.updateTable('clients').set({ registration: 'dynamic' }).where('id', '=', id).execute();
    const form = { client_id: id, client_secret: secret, response_type: 'code', redirect_uri: redirectUri };
    const send = async (state: string) => (await pushRequest(service, { ...form, state })).status;
    const setCount = (key: string, count: number) =>
      db.updateTable('throttles').set({ count }).where('key', 'like', key).execute();
    assert.equal(await send('s'.repeat(10_000)), 400);
    assert.equal(await send('s'), 201);
    await setCount('par:address:%', 599);
    assert.deepEqual([await send('s'), await send('s')], [201, 429]);
    await setCount('par:address:%', 0);
    await setCount('par:all', 49_999);
    assert.deepEqual([await send('s'), await send('s')], [201, 429]);
  });

  it('of the confidential clients of one owner is limited too', async () => {
    const service = await start();
    const { id: userId } = await addLogin(service);
    const [app, other] = [await addApplication(service, { userId }), await addApplication(service, { userId })];
    const form = { response_type: 'code', redirect_uri: redirectUri };
    const send = async (state: string, { id, secret = '' } = app) =>
      (await pushRequest(service, { ...form, client_id: id, client_secret: secret, state })).status;
    assert.equal(await send('s'.repeat(50_000)), 400);
    assert.equal(await send('s'.repeat(10_000)), 201);
    const { db } = service.context.database;
    const key = `par:owner:${userId}`;
    await db.updateTable('throttles').set({ count: 49_999 }).where('key', '=', key).execute();
    assert.deepEqual([await send('s'), await send('s'), await send('s', other)], [201, 429, 429]);
    service.advance(60 * minute);
    assert.equal(await send('s'), 201);
  });

  it('expires after five minutes if the browser does not open it, and is deleted later', async () => {
    const service = await start();
    const { visitor } = await signedIn(service);
    const path = await push(service);
    await wait(service, 5 * minute);
    assert.equal((await visitor.get(path)).status, 400);
    await wait(service, 61 * minute);
    const rows = await service.context.database.db.selectFrom('pushed_requests').select('id').execute();
    assert.deepEqual(rows, []);
  });
});
