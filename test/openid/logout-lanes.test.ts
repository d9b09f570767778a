import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { systemSource as source } from '../../src/http/request-source.ts';
import { addClient, addUser } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { onBothEngines } from '../harness/engines.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { relyingParties } from '../harness/relying-party.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openSession } from '../harness/sessions.ts';
import { signToken } from '../harness/sign-token.ts';

onBothEngines('A back-channel logout URI that fails', (engine) => {
  const start = services(engine);
  const startParty = relyingParties();
  let service: Service;
  let seen = 0;
  /** Accepts requests and never responds. */
  const silent = createServer(() => void seen++);
  before(async () => {
    service = await start();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    silent.closeAllConnections();
    silent.close();
  });

  /** A user who is signed in in a browser, and several times to this application. `signOut` ends all sessions. */
  async function person(clientId: string, logins: number) {
    const { id: userId } = await addUser(service.context);
    const web = await addClient(service, { type: 'password' });
    const session = await openSession(service, { userId, clientId: web.id, scopes: ['*'], source });
    const token = signToken(service.sessions, session);
    for (let i = 0; i < logins; i++) {
      await openSession(service, { userId, clientId, scopes: ['openid'], login: { id: session.id }, source });
    }
    return { signOut: () => request(service, '/v1/logout', { method: 'DELETE', token }) };
  }

  it('does not delay other notifications', async () => {
    const { port } = silent.address() as AddressInfo;
    const hanging = await addApplication(service, { backchannel_logout_uri: `http://127.0.0.1:${port}/` });
    const party = await startParty();
    const quick = await addApplication(service, { backchannel_logout_uri: `${party.url}/logout` });
    const [many, one] = [await person(hanging.id, 60), await person(quick.id, 1)];
    await many.signOut();
    await one.signOut();
    while (party.posts.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(seen <= 2, `${seen} requests to the hanging application came first`);
  });

  it('is disabled after a few attempts, and its owner is notified', async () => {
    // No application hangs in this test.
    service = await start();
    const party = await startParty();
    party.status = 500;
    const owner = await addUser(service.context);
    const backchannel_logout_uri = `${party.url}/logout`;
    const { id } = await addApplication(service, { name: 'Planner', userId: owner.id, backchannel_logout_uri });
    const { signOut } = await person(id, 3);
    await signOut();
    const address = async () => (await service.clients.find(id))?.backchannel_logout_uri;
    for (let i = 0; i < 40 && (await address()) !== null; i++) {
      await service.queue.runDueJobs();
      service.advance(3_600_000);
    }
    assert.equal(await address(), null);
    assert.ok(party.posts.length <= 18, `${party.posts.length} requests`);
    const events = await service.context.database.db
      .selectFrom('events')
      .select('type')
      .where('client_id', '=', id)
      .where('type', '=', 'client.logout_disabled')
      .execute();
    assert.equal(events.length, 1);
    const [mail] = await mailsTo(service, 'logout-disabled', owner.email);
    assert.match(mail?.text ?? '', /Planner[\s\S]*did not answer/);
  });
});
