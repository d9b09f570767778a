import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases } from '../harness/engines.ts';
import { fenced } from '../harness/fenced.ts';
import { caddy, freePort, nginx, reverseProxies } from '../harness/reverse-proxy.ts';
import { services } from '../harness/service.ts';

const json = { accept: 'application/json', 'content-type': 'application/json' };
const page = 'docs/guides/deploy.md';
const blocks = (language: string): string[] => fenced(page, language).map(({ text }) => text);
const one = (language: string, has: RegExp): string => {
  const found = blocks(language).filter((text) => has.test(text));
  assert.equal(found.length, 1, `${page}: ${language} ${has}`);
  return found[0] as string;
};

/** The sites on the page, including the locations of the metadata. */
const sites: [name: string, program: 'nginx' | 'caddy', site: (port: number) => string][] = [
  ['nginx that keeps the prefix', 'nginx', (port) => ofNginx(port, one('nginx', /auth\/ \{\n.*:3000;/))],
  ['nginx that strips the prefix', 'nginx', (port) => ofNginx(port, one('nginx', /auth\/ \{\n.*:3000\/;/))],
  ['Caddy that keeps the prefix', 'caddy', (port) => ofCaddy(port, one('caddyfile', /handle \/auth/))],
  ['Caddy that strips the prefix', 'caddy', (port) => ofCaddy(port, one('caddyfile', /handle_path \/auth/))],
];
const ofNginx = (port: number, location: string): string =>
  `server {\n  listen 127.0.0.1:${port};\n${location}${one('nginx', /well-known/)}${one('nginx', /metrics/)}}`;
const ofCaddy = (port: number, site: string): string =>
  site
    .replace('example.com {', `http://127.0.0.1:${port} {`)
    .replace(
      /\}\n$/,
      `${[one('caddyfile', /@metadata/), one('caddyfile', /metrics/)].join('').replace(/^/gm, '\t')}\n}\n`,
    );

describe('A service below a path, behind', () => {
  const create = databases('sqlite');
  const start = services('sqlite');
  const proxies = reverseProxies();

  for (const [name, program, site] of sites) {
    const skip = (program === 'nginx' ? nginx : caddy) ? false : `${program} is not installed here`;
    it(name, { skip }, async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/auth`;
      const database = await create();
      const service = await start({ database, env: { BASE_URL: url, TRUST_PROXY: '127.0.0.1' } });
      const config = site(port).replaceAll('127.0.0.1:3000', new URL(service.url).host);
      await proxies[program](database.dir, config, `${url}/health/live`);

      for (const path of ['/metrics', '/metrics/']) assert.equal((await fetch(url + path)).status, 404, path);
      const body = JSON.stringify({ email: 'ada@example.com', password: 'lovelace-1815' });
      assert.equal((await fetch(`${url}/v1/register`, { method: 'POST', headers: json, body })).status, 201);
      const login = await fetch(`${url}/v1/clients/web/admin/login`, { method: 'POST', headers: json, body });
      assert.equal(login.status, 200);
      assert.match(login.headers.getSetCookie().join(), /Path=\/auth\//i);
      const { access_token: token } = (await login.json()) as { access_token: string };
      const me = await fetch(`${url}/v1/users/me`, { headers: { ...json, authorization: `Bearer ${token}` } });
      assert.equal(me.status, 200);

      const signIn = await (await fetch(`${url}/login`)).text();
      const links = [...signIn.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map((match) => match[1] as string);
      assert.ok(links.length > 3 && links.every((link) => link.startsWith('/auth/')), links.join(' '));
      const style = links.find((link) => link.includes('.css')) as string;
      assert.equal((await fetch(new URL(style, url))).status, 200, style);
      const moved = await fetch(`${url}/settings`, { redirect: 'manual' });
      assert.match(moved.headers.get('location') ?? '', /(^|:\d+)\/auth\/login/);

      for (const place of ['oauth-authorization-server', 'openid-configuration']) {
        const metadata = await fetch(`${new URL(url).origin}/.well-known/${place}/auth`);
        assert.equal(metadata.status, 200, place);
        const { issuer, token_endpoint } = (await metadata.json()) as Record<string, string>;
        assert.deepEqual([issuer, token_endpoint], [url, `${url}/oauth/token`]);
      }
    });
  }
});
