import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { generateKeyPair, SignJWT } from 'jose';
import { addApplication } from '../harness/applications.ts';
import { Conformance, type SignIn } from '../harness/conformance.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type RelyingParty, relyingParties } from '../harness/relying-party.ts';
import { type Service, services } from '../harness/service.ts';

const home = 'https://app.example/post_logout_redirect';
const event = 'http://schemas.openid.net/event/backchannel-logout';

interface Expected {
  readonly parameters: (token: string) => Promise<Record<string, string>> | Record<string, string>;
  /**
   * `redirect`: immediately to the application. `page`: signed out, with a page. `refused`: an error or a confirmation
   * page.
   */
  readonly result: 'redirect' | 'page' | 'refused';
}

const withoutSignature = (token: string) =>
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;

/** An ID token that the suite signed itself. */
async function signedBySuite(token: string): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256');
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
}

const back = { post_logout_redirect_uri: home, state: 'a state' };
const modules: Record<string, Expected> = {
  '': { parameters: (id_token_hint) => ({ id_token_hint, ...back }), result: 'redirect' },
  '-bad-post-logout-redirect-uri': {
    parameters: (id_token_hint) => ({ id_token_hint, ...back, post_logout_redirect_uri: 'https://bad.example/' }),
    result: 'refused',
  },
  '-modified-id-token-hint': {
    parameters: (token) => ({ id_token_hint: withoutSignature(token), ...back }),
    result: 'refused',
  },
  '-no-id-token-hint': { parameters: () => back, result: 'refused' },
  '-no-params': { parameters: () => ({}), result: 'page' },
  '-no-post-logout-redirect-uri': {
    parameters: (id_token_hint) => ({ id_token_hint, state: 'a state' }),
    result: 'page',
  },
  '-no-state': {
    parameters: (id_token_hint) => ({ id_token_hint, post_logout_redirect_uri: home }),
    result: 'redirect',
  },
  '-only-state': { parameters: () => ({ state: 'a state' }), result: 'page' },
  '-query-added-to-post-logout-redirect-uri': {
    parameters: (id_token_hint) => ({ id_token_hint, ...back, post_logout_redirect_uri: `${home}?foo=bar` }),
    result: 'refused',
  },
  '-bad-id-token-hint': {
    parameters: async (token) => ({ id_token_hint: await signedBySuite(token), ...back }),
    result: 'refused',
  },
};

onBothEngines('oidcc-rp-initiated-logout-certification-test-plan', (engine) => {
  const start = services(engine);
  const startParty = relyingParties();
  let service: Service;
  let party: RelyingParty;
  let suite: Conformance;
  before(async () => {
    service = await start();
    party = await startParty();
    const backchannel_logout_uri = `${party.url}/backchannel_logout`;
    const client = await addApplication(service, { post_logout_redirect_uris: [home], backchannel_logout_uri });
    suite = await Conformance.start(service, client);
  });

  const signIn = async (): Promise<SignIn> => {
    suite.removeCookies();
    return suite.signIn();
  };
  const endSession = (parameters: Record<string, string>) =>
    suite.visitor.get(`/oauth/logout?${new URLSearchParams(parameters)}`);
  const isSignedIn = async () => (await suite.authorize({ prompt: 'none' })).parameters.error !== 'login_required';

  for (const name of ['rp-initiated-logout', 'backchannel-logout']) {
    it(`oidcc-${name}-discovery-endpoint-verification`, async () => {
      const metadata = await suite.metadata();
      assert.equal(metadata.end_session_endpoint, `${service.context.config.baseUrl}/oauth/logout`);
      assert.equal(metadata.backchannel_logout_supported, true);
      assert.equal(metadata.backchannel_logout_session_supported, true);
    });
  }

  for (const [name, { parameters, result }] of Object.entries(modules)) {
    it(`oidcc-rp-initiated-logout${name}`, async () => {
      const { tokens } = await signIn();
      const sent = await parameters(tokens.id_token);
      let visit = await endSession(sent);
      if (result === 'redirect') {
        const state = 'state' in sent ? '?state=a%20state' : '';
        assert.equal(visit.location, home + state, visit.html);
      } else {
        assert.equal(visit.location, null);
        const asks = visit.html.includes('action="/oauth/logout/confirm"');
        if (result === 'refused') {
          assert.ok(asks || visit.status === 400, visit.html);
          assert.equal(await isSignedIn(), true);
          return;
        }
        // Without an ID token, the user must confirm first (OpenID Connect RP-Initiated Logout 2).
        if (asks) visit = await suite.visitor.send('/oauth/logout/confirm', {});
        assert.match(visit.html, /You are signed out/);
      }
      assert.equal(await isSignedIn(), false);
    });
  }

  it('oidcc-backchannel-rp-initiated-logout', async () => {
    const { tokens, claims } = await signIn();
    await service.queue.runDueJobs();
    party.posts.length = 0;
    const { location } = await endSession({ id_token_hint: tokens.id_token, ...back });
    assert.equal(location, `${home}?state=a%20state`);
    await service.queue.runDueJobs();
    assert.deepEqual([...(party.posts[0]?.keys() ?? [])], ['logout_token']);
    assert.equal(party.posts.length, 1);
    const { claims: logout } = await suite.verify(party.posts[0]?.get('logout_token') ?? '');
    assert.deepEqual([logout.sub, logout.sid, logout.nonce], [suite.userId, claims.sid, undefined]);
    assert.deepEqual(logout.events, { [event]: {} });
    assert.ok(logout.jti);
    assert.equal(await isSignedIn(), false);
  });
});
