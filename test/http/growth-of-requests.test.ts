import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createLog } from '../../src/platform/log.ts';
import { assertLinear, smallestSize } from '../harness/growth.ts';
import { sendOne } from '../harness/raw-http.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const repeated = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

/** The maximum size of a body and of the headers. */
const long = 512 * 1024;
const short = smallestSize;

const texts = ['eyJ-', '://:', 'Bearer ', 'a ', '\u0315\u0316', '1', '\\', '"', '%', '. ', '+1', 'a@'];
const json = (members: object) => ({ type: 'application/json', text: JSON.stringify(members) });
const form = (members: Record<string, string>) => ({
  type: 'application/x-www-form-urlencoded',
  text: new URLSearchParams(members).toString(),
});

describe('Time grows at most linearly with the length of the request', () => {
  const start = services('sqlite');
  let service: Service;
  let token: string;
  let lines = 0;
  before(async () => {
    const log = createLog('debug', false, {
      write(line) {
        assert.ok(line.length < 20_000, 'a line of the log is too long');
        lines++;
      },
    });
    service = await start({ log, env: { TRUST_PROXY: '127.0.0.1', LOGIN_ATTRIBUTES: 'email,username,phone' } });
    token = await logIn(service, 'admin@example.com', 'correct horse battery');
  });

  async function send(head: string, headers: string[], body = ''): Promise<void> {
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    const bytes = [`${head} HTTP/1.1`, 'Host: x', ...headers, ...length, 'Connection: close', '', body].join('\r\n');
    const response = await sendOne(service.url, Buffer.from(bytes, 'utf8'));
    assert.ok(response.status < 500, `${response.status} to ${head.slice(0, 80)}`);
    if (response.status >= 400)
      assert.ok(Buffer.byteLength(response.body) <= 16 * 1024, `${response.body.length} to ${head}`);
  }
  const post = (path: string, { type, text }: { type: string; text: string }) =>
    send(`POST ${path}`, ['Accept: application/json', `Content-Type: ${type}`, `Authorization: Bearer ${token}`], text);
  const anonymous = (path: string, { type, text }: { type: string; text: string }) =>
    send(`POST ${path}`, ['Accept: application/json', `Content-Type: ${type}`], text);

  it('for the parameters of the OAuth endpoints', async () => {
    for (const piece of texts) {
      for (const name of ['client_id', 'client_secret', 'scope', 'token', 'grant_type', 'refresh_token']) {
        const rest = { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b', token: 'c' };
        const body = (size: number) => form({ ...rest, [name]: repeated(piece, size / 4) });
        await assertLinear(`${name} of ${piece}`, long, (size) => anonymous('/oauth/token', body(size)));
        await assertLinear(`${name} of ${piece}`, long, (size) => anonymous('/oauth/introspect', body(size)));
      }
    }
  });

  it('for the values of logins and registrations', async () => {
    for (const piece of texts) {
      const text = (size: number) => repeated(piece, size / 4);
      await assertLinear(`a login as ${piece}`, long, (size) =>
        anonymous('/v1/clients/web/admin/login', form({ username: text(size), password: 'a' })),
      );
      await assertLinear(`a password of ${piece}`, long, (size) =>
        anonymous('/v1/clients/web/admin/login', json({ email: 'a@example.com', password: text(size) })),
      );
      for (const name of ['email', 'username', 'phone', 'name', 'password']) {
        const rest = { email: '-', password: 'x' };
        await assertLinear(`a ${name} of ${piece}`, long, (size) =>
          anonymous('/v1/register', json({ ...rest, [name]: text(size) })),
        );
      }
      await assertLinear(`a mail for ${piece}`, long, (size) =>
        anonymous('/v1/password/resets', json({ email: text(size) })),
      );
    }
  });

  it('for bodies with many members, deep nesting and long names', async () => {
    const bodies: readonly [string, (size: number) => { type: string; text: string }][] = [
      ['members', (size) => json(Object.fromEntries(Array.from({ length: size / 16 }, (_, i) => [`m${i}`, i])))],
      ['items', (size) => json({ name: Array.from({ length: size / 4 }, () => 1) })],
      ['depth', (size) => ({ type: 'application/json', text: `{"a":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}` })],
      ['a name', (size) => json({ [repeated('ab', size)]: 1 })],
      [
        'long names',
        (size) => json(Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`${i}`.repeat(size / 4000), 1]))),
      ],
      ['fields', (size) => form(Object.fromEntries(Array.from({ length: size / 16 }, (_, i) => [`m${i}`, '1'])))],
      ['ampersands', (size) => ({ type: 'application/x-www-form-urlencoded', text: repeated('&', size) })],
      [
        'scopes',
        (size) => json({ name: 'x', scopes: Array.from({ length: 90 }, (_, i) => `${i}`.repeat(size / 400)) }),
      ],
      ['parts', (size) => ({ type: 'multipart/form-data; boundary=a', text: repeated('--a\r\n\r\n', size) })],
    ];
    for (const [what, body] of bodies) {
      for (const path of ['/v1/users', '/v1/clients', '/v1/tokens']) {
        await assertLinear(`${what} at ${path}`, long, (size) => post(path, body(size)));
      }
      for (const path of ['/v1/register', '/oauth/token', '/v1/password/resets', '/login']) {
        await assertLinear(`${what} at ${path}`, long, (size) => anonymous(path, body(size)));
      }
    }
  });

  it('for headers', async () => {
    const pieces = [
      'a',
      'a,',
      'a;',
      'a=',
      ';q=0,',
      'application/json;',
      '*/*,',
      'W/"a",',
      '"',
      '\\"',
      'a.',
      'a a.',
      '=; ',
      '1.1.1.1,',
      '::,',
      'Version/1 ',
      ';a="',
    ];
    for (const name of [
      'Accept',
      'If-None-Match',
      'If-Match',
      'Cookie',
      'Authorization',
      'User-Agent',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Request-Id',
      'Idempotency-Key',
      'Content-Type',
      'Origin',
      'Accept-Encoding',
    ]) {
      for (const piece of pieces) {
        const rest = [
          ...(name === 'Accept' ? [] : ['Accept: application/json']),
          ...(name === 'Authorization' ? [] : [`Authorization: Bearer ${token}`]),
        ];
        await assertLinear(`${name} of ${piece}`, short, async (size) => {
          await send('GET /v1/users/me', [...rest, `${name}: ${repeated(piece, size)}`]);
          await send('GET /settings', [...rest, `${name}: ${repeated(piece, size)}`]);
        });
      }
    }
    for (const scheme of ['Basic', 'Bearer', 'basic ']) {
      await assertLinear(scheme, short, (size) =>
        send(
          'POST /oauth/token',
          [`Authorization: ${scheme} ${repeated('ab', size)}`, 'Content-Type: application/json'],
          '{"grant_type":"password"}',
        ),
      );
    }
  });

  it('for URLs', async () => {
    for (const piece of [
      'a',
      '%41',
      '%',
      '/',
      '//',
      './',
      '../',
      '%2f',
      ';',
      ':',
      '*',
      'a,',
      'a.b,',
      'email:a;',
      'email:*,',
      '%2a,',
      '%5c',
      'a=',
      '&',
      '+',
      '%cc%95%cc%96',
    ]) {
      const text = (size: number) => repeated(piece, size);
      await assertLinear(`a path of ${piece}`, short, (size) =>
        send(`GET /v1/${text(size)}`, ['Accept: application/json']),
      );
      for (const name of [
        'search',
        'searchFields',
        'orderBy',
        'sortedBy',
        'filter',
        'include',
        'page',
        'cursor',
        'x',
      ]) {
        await assertLinear(`${name} of ${piece}`, short, (size) =>
          send(`GET /v1/users?${name}=${text(size)}`, ['Accept: application/json', `Authorization: Bearer ${token}`]),
        );
      }
      await assertLinear(`next of ${piece}`, short, (size) => send(`GET /login?next=/${text(size)}`, []));
    }
  });

  it('and every request was logged', async () => {
    assert.ok(lines > 100);
    assert.equal((await request(service, '/v1/users/me', { token })).status, 200);
  });
});
