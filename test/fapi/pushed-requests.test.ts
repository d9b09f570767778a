import assert from 'node:assert/strict';
import { it } from 'node:test';
import { prunePushedRequests } from '../../src/oauth/authorize/pushed-request-store.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { authorizationResponseIn, press, redirectUri, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const minute = 60_000;

/** Pushes a request. Returns the path to which the application redirects the browser. */
async function push(service: Service): Promise<string> {
  const app = await addApplication(service);
  const client = { client_id: app.id, client_secret: app.secret ?? '' };
  const { status, body, text } = await request<{ request_uri: string }>(service, '/oauth/par', {
    form: { ...client, response_type: 'code', redirect_uri: redirectUri, state: 's' },
  });
  assert.equal(status, 201, text);
  return `/oauth/authorize?${new URLSearchParams({ client_id: app.id, request_uri: body.request_uri })}`;
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
