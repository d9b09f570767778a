import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { password, registerUser, type UserBody } from '../harness/people.ts';
import { isSignedIn } from '../harness/provider-visits.ts';
import { realUpstreams } from '../harness/real-upstreams.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

/** A browser that stores the cookies of each host, and follows redirects. */
class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  async open(address: string, form?: Record<string, string>): Promise<{ url: string; html: string }> {
    let url = address;
    let body = form && new URLSearchParams(form);
    for (let hops = 0; hops < 15; hops++) {
      const { host } = new URL(url);
      const jar = this.#cookies.get(host) ?? new Map<string, string>();
      this.#cookies.set(host, jar);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { accept: 'text/html,*/*;q=0.8', ...(cookie ? { cookie } : {}) };
      const response = await fetch(url, {
        redirect: 'manual',
        headers,
        ...(body ? { method: 'POST', body } : {}),
      });
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? assert.fail(`not a cookie: ${set}`);
        if (value === '' || /max-age=0/i.test(set)) jar.delete(name);
        else jar.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) return { url, html: await response.text() };
      url = new URL(location, url).href;
      body = undefined;
    }
    throw new Error(`too many redirects, the last to ${url}`);
  }

  cookie(on: string, name: string): string {
    return this.#cookies.get(new URL(on).host)?.get(name) ?? '';
  }
}

const fieldIn = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';

describe('Providers of other implementations', () => {
  const start = services('sqlite');
  let upstream: Service;
  let service: Service;
  const startAll = realUpstreams(start);
  before(async () => {
    ({ service, gatehouse: upstream } = await startAll());
  });
  const me = async (browser: Browser) =>
    (await request<UserBody>(service, '/v1/users/me', { token: browser.cookie(service.url, 'session') })).body.data;

  it('another Gatehouse signs in users', async () => {
    const person = await registerUser(upstream);
    const browser = new Browser();
    const login = await browser.open(`${service.url}/login/with/gatehouse?prompt=login`);
    assert.match(login.url, new RegExp(`^${upstream.context.config.baseUrl}/login`));
    const form = {
      login: person.email,
      password,
      next: fieldIn(login.html, 'next'),
      _csrf: fieldIn(login.html, '_csrf'),
    };
    const done = await browser.open(`${upstream.context.config.baseUrl}/login`, form);
    assert.equal(done.url, `${service.url}/settings?done=welcome`, done.html);
    const user = await me(browser);
    // The email was not confirmed there.
    assert.deepEqual([user.email, user.email_confirmed], [person.email, false]);
  });

  it('oidc-provider signs in users, with the email from its userinfo', async () => {
    const browser = new Browser();
    const login = await browser.open(`${service.url}/login/with/oidc`);
    const action = /action="([^"]+)"/.exec(login.html)?.[1] as string;
    const consent = await browser.open(new URL(action, login.url).href, {
      prompt: 'login',
      login: 'ada',
      password: 'x',
    });
    const confirm = /action="([^"]+)"/.exec(consent.html)?.[1] as string;
    const done = await browser.open(new URL(confirm, consent.url).href, { prompt: 'consent' });
    assert.equal(done.url, `${service.url}/settings?done=welcome`, done.html);
    const user = await me(browser);
    assert.deepEqual([user.email, user.email_confirmed], ['ada@example.org', true]);
  });

  it('oauth2-mock-server signs in users', async () => {
    const browser = new Browser();
    const done = await browser.open(`${service.url}/login/with/mock`);
    assert.equal(done.url, `${service.url}/settings?done=welcome`, done.html);
    assert.equal((await me(browser)).email, 'mock@example.org');
  });

  it('an application selects the provider by idp_hint, and passes its parameters on', async () => {
    const token = await logIn(service, 'admin@example.com', 'correct horse battery');
    const redirect_uri = 'https://app.example/callback';
    const made = await request<{ data: { client_id: string } }>(service, '/v1/clients', {
      json: { type: 'application', name: 'App', redirect_uris: [redirect_uri], public: false, scopes: ['openid'] },
      token,
    });
    const asked = { response_type: 'code', scope: 'openid', redirect_uri, client_id: made.body.data.client_id };
    const more = {
      idp_hint: 'mock',
      prompt: 'login',
      max_age: '60',
      acr_values: 'urn:x',
      login_hint: 'ada@example.com',
    };
    const visitor = new Visitor(service);
    const first = await visitor.get(`/oauth/authorize?${new URLSearchParams({ ...asked, ...more })}`);
    const login = await visitor.get(first.location as string);
    assert.match(login.location ?? '', /^\/login\/with\/mock\?next=/);
    const { location } = await visitor.get(login.location as string);
    const { searchParams } = new URL(location as string);
    for (const name of ['prompt', 'max_age', 'acr_values', 'login_hint'] as const)
      assert.equal(searchParams.get(name), more[name], name);
    assert.equal(isSignedIn(visitor), false);
    const chosen = await visitor.get(`${first.location}&choose=1`);
    assert.match(chosen.html, /Continue with mock/);
  });
});
