import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bareServers } from '../harness/bare-server.ts';
import { sendOne } from '../harness/raw-http.ts';

const json = { accept: 'application/json', 'content-type': 'application/json' };
const form = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };

interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly errors?: { field: string; message: string }[];
}

describe('A body', () => {
  const start = bareServers();
  let url: string;
  before(async () => {
    url = await start();
  });

  const post = (path: string, headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) =>
    fetch(url + path, { method: 'POST', headers, body });
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i]));
  const pairs = (count: number) => Object.keys(members(count)).join('=&');

  async function refused(response: Response, status: number, code: string): Promise<Refusal> {
    const text = await response.text();
    const body = JSON.parse(text) as Refusal;
    assert.deepEqual([response.status, body.code], [status, code], text.slice(0, 200));
    assert.ok(Buffer.byteLength(text) <= 16 * 1024, String(text.length));
    return body;
  }

  it('may have at most 1,000 members at all depths, including array items and form fields', async () => {
    for (const body of [
      members(1000),
      { a: members(999) },
      { a: Array.from({ length: 999 }, () => 1) },
      { a: [[], {}, ''], b: 'a,b,c,[{'.repeat(1000) },
    ]) {
      assert.equal((await post('/v1/things', json, JSON.stringify(body, null, 1))).status, 201);
    }
    for (const body of [
      members(1001),
      { a: members(1000) },
      { a: Array.from({ length: 1000 }, () => 1) },
      { a: Array.from({ length: 500 }, () => [1]) },
      members(60_000),
    ]) {
      await refused(await post('/v1/things', json, JSON.stringify(body)), 413, 'too_many_members');
    }
    assert.equal((await post('/v1/things', form, pairs(1000))).status, 201);
    await refused(await post('/v1/things', form, pairs(1001)), 413, 'too_many_members');
    await refused(await post('/v1/things', form, '&'.repeat(500_000)), 413, 'too_many_members');
    const oauth = await post('/v1/oauth/form', json, JSON.stringify(members(1001)));
    assert.deepEqual([oauth.status, ((await oauth.json()) as { error: string }).error], [413, 'invalid_request']);
  });

  it('is refused with at most 20 field errors and 16 KiB', async () => {
    const many = await refused(await post('/v1/strict', json, JSON.stringify(members(900))), 422, 'validation_failed');
    assert.equal(many.errors?.length, 20);
    const long = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}${'\u0001é'.repeat(3000)}`, 1]));
    const few = await refused(await post('/v1/strict', json, JSON.stringify(long)), 422, 'validation_failed');
    assert.ok((few.errors?.length ?? 0) > 5);
    for (const { field } of few.errors ?? []) assert.ok(field.length <= 100);
    const name = 'x'.repeat(500_000);
    for (const [body, code] of [
      [`${name}=1&${name}=2`, 'parameter_repeated'],
      [`${name}=%ff`, 'encoding_invalid'],
    ] as const) {
      assert.ok((await refused(await post('/v1/things', form, body), 400, code)).detail.length < 300);
    }
    const oauth = await post('/v1/oauth/form', form, `${name}=1&${name}=2`);
    assert.ok((await oauth.text()).length < 300);
  });

  it('is not echoed if it could not be decoded', async () => {
    for (const body of ['password=hunter2%secret', 'hunter2%secret', 'hunter2%secret=1']) {
      const { detail } = await refused(await post('/v1/things', form, body), 400, 'encoding_invalid');
      assert.doesNotMatch(detail, /hunter2|secret/);
      const oauth = await post('/v1/oauth/form', form, body);
      assert.doesNotMatch(await oauth.text(), /hunter2|secret/);
    }
    const query = await fetch(`${url}/v1/things?search=hunter2%secret`, { headers: json });
    assert.doesNotMatch((await refused(query, 400, 'encoding_invalid')).detail, /hunter2|secret/);
  });

  it('is refused if it is compressed', async () => {
    for (const coding of ['gzip', 'br', 'x-gzip', 'identity, gzip', 'deflate']) {
      const response = await post('/v1/things', { ...json, 'content-encoding': coding }, gzipSync('{}'));
      await refused(response, 415, 'unsupported_encoding');
      assert.equal(response.headers.get('accept-encoding'), 'identity');
    }
    assert.equal((await post('/v1/things', { ...json, 'content-encoding': 'Identity' }, '{}')).status, 201);
  });

  it('has limits that apply to query strings too', async () => {
    const get = (count: number) => fetch(`${url}/v1/things?${pairs(count)}`, { headers: json });
    assert.equal((await get(100)).status, 200);
    await refused(await get(101), 400, 'parameter_invalid');
  });
});

describe('A multipart form', () => {
  const start = bareServers();
  let url: string;
  before(async () => {
    url = await start();
  });

  const send = async (body: FormData) => {
    const response = await fetch(`${url}/v1/things`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const raw = (body: string, type = 'multipart/form-data; boundary=b') =>
    sendOne(
      url,
      `POST /v1/things HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  const formOf = (entries: [string, string | Blob][]) => {
    const body = new FormData();
    for (const [name, value] of entries) body.append(name, value);
    return body;
  };
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  it('is parsed like a form', async () => {
    const entries: [string, string][] = [
      ['a', '1'],
      ['name "quoted"', 'ü\r\n--not-the-end'],
      ['empty', ''],
      ['b', '100% + &=;'],
    ];
    const { status, body } = await send(formOf(entries));
    assert.equal(status, 201);
    assert.deepEqual(body.data, Object.fromEntries(entries));
    assert.deepEqual((await send(new FormData())).body, { data: {} });
    const quoted = await raw(
      `a preamble\r\n${part('a', '1')}--b--\r\nan epilogue`,
      'Multipart/Form-Data; boundary="b"',
    );
    assert.deepEqual(quoted.json(), { data: { a: '1' } });
    const noFile = `--b\r\nContent-Disposition: form-data; name="f"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n`;
    assert.deepEqual((await raw(`${noFile}${part('a', '1')}--b--`)).json(), { data: { a: '1' } });
    const unquoted = `--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n`;
    assert.deepEqual((await raw(`${unquoted}--b--`)).json(), { data: { a: '1' } });
  });

  it('is refused if it contains a file', async () => {
    const file = await send(
      formOf([
        ['a', '1'],
        ['f', new Blob(['x'])],
      ]),
    );
    assert.deepEqual([file.status, file.body.code], [415, 'unsupported_media_type']);
  });

  it('is refused if it is malformed', async () => {
    for (const body of [
      '',
      '{}',
      '--b',
      '--b\r\n',
      '--c--',
      part('a', '1'),
      `${part('a', '1')}--b`,
      `--b\r\n\r\n1\r\n--b--`,
      `--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--`,
      `--b\r\nContent-Disposition: attachment; name="a"\r\n\r\n1\r\n--b--`,
      `--b\r\nX: ${'x'.repeat(2000)}\r\n\r\n1\r\n--b--`,
      `--bContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--`,
    ]) {
      const response = await raw(body);
      assert.deepEqual([response.status, response.json().code], [400, 'body_invalid'], body);
    }
    assert.equal((await raw('--b--', 'multipart/form-data')).status, 400);
    assert.equal((await raw(`${part('a', '1')}${part('a', '2')}--b--`)).json().code, 'parameter_repeated');
    assert.equal((await raw(`${part('__proto__', '1')}--b--`)).json().code, 'parameter_invalid');
    assert.equal((await raw(`${part('a', '\0')}--b--`)).json().code, 'encoding_invalid');
    const many = Array.from({ length: 1001 }, (_, i) => part(`p${i}`, '')).join('');
    assert.equal((await raw(`${many}--b--`)).status, 413);
  });
});
