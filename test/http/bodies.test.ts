import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { before, describe, it } from 'node:test';
import { bareServers } from '../harness/bare-server.ts';
import { sendOne, sendRaw } from '../harness/raw-http.ts';

describe('Bodies', () => {
  const start = bareServers();
  let url: string;
  before(async () => {
    url = await start();
  });

  const post = (body: string | Uint8Array<ArrayBuffer> | undefined, type: string | undefined, path = '/v1/things') =>
    fetch(url + path, {
      method: 'POST',
      headers: { accept: 'application/json', ...(type ? { 'content-type': type } : {}) },
      ...(body === undefined ? {} : { body }),
    });

  async function refused(body: string | Uint8Array<ArrayBuffer>, type: string, status: number, code: string) {
    const response = await post(body, type);
    const problem = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([response.status, problem.code], [status, code], String(body).slice(0, 80));
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
  }
  const data = async (response: Response) => {
    assert.equal(response.status, 201);
    return ((await response.json()) as { data: unknown }).data;
  };

  it('can be JSON or a form', async () => {
    assert.deepEqual(await data(await post('{"a":{"b":[1,null,"ü"]}}', 'application/json')), {
      a: { b: [1, null, 'ü'] },
    });
    assert.deepEqual(await data(await post('{}', 'Application/JSON; charset=utf-8')), {});
    assert.deepEqual(await data(await post('a=1&b=x+y%20z&c=%C3%BC&d', 'application/x-www-form-urlencoded')), {
      a: '1',
      b: 'x y z',
      c: 'ü',
      d: '',
    });
    assert.deepEqual(await data(await post('\ufeff{"a":1}', 'application/json')), { a: 1 });
  });

  it('are refused with 415 in any other type', async () => {
    for (const type of ['text/plain', 'text/xml', 'application/json-patch+json', 'x', '/']) {
      await refused('{}', type, 415, 'unsupported_media_type');
    }
    const untyped = 'POST /v1/things HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Length: 2\r\n\r\n{}';
    assert.equal((await sendOne(url, untyped)).status, 415);
  });

  it('are refused with 400 if they are invalid JSON', async () => {
    for (const body of ['{', '{"a":}', "{'a':1}", 'undefined', '{"a":1}x', ' ', '{"a":"\n"}', 'NaN']) {
      await refused(body, 'application/json', 400, 'json_invalid');
    }
  });

  it('are refused with 400 if they are not an object', async () => {
    for (const body of ['[]', '"text"', '1', 'null', 'true', '[{"a":1}]']) {
      await refused(body, 'application/json', 400, 'body_invalid');
    }
  });

  it('cannot pollute prototypes', async () => {
    const poisons = [
      '{"__proto__":{"admin":true}}',
      '{"a":[{"__proto__":1}]}',
      '{"constructor":{"prototype":{"a":1}}}',
    ];
    poisons.push('{"\\u005f_proto__":{"admin":true}}', '{"__\\u0070roto__":null}');
    for (const body of poisons) await refused(body, 'application/json', 400, 'body_invalid');
    await refused('__proto__=1', 'application/x-www-form-urlencoded', 400, 'parameter_invalid');
    assert.deepEqual(await data(await post('{"constructor":"a builder"}', 'application/json')), {
      constructor: 'a builder',
    });
    assert.deepEqual(await data(await post('toString=1&hasOwnProperty=2', 'application/x-www-form-urlencoded')), {
      toString: '1',
      hasOwnProperty: '2',
    });
  });

  it('are refused if they are not valid Unicode text', async () => {
    const bytes = (...values: number[]) => new Uint8Array([...Buffer.from('{"a":"'), ...values, ...Buffer.from('"}')]);
    for (const body of [bytes(0xff), bytes(0xc3), bytes(0xed, 0xa0, 0x80), bytes(0xc0, 0xaf)]) {
      await refused(body, 'application/json', 400, 'encoding_invalid');
    }
    for (const body of ['{"a":"\\u0000"}', '{"\\u0000":1}', '{"a":"\\ud800"}', '{"a":"\\udc00\\ud800"}']) {
      await refused(body, 'application/json', 400, 'encoding_invalid');
    }
    for (const body of ['a=%ff', 'a=%', 'a=%zz', '%c3=1', 'a=%00', 'a=%ed%a0%80']) {
      await refused(body, 'application/x-www-form-urlencoded', 400, 'encoding_invalid');
    }
    await refused(new Uint8Array([0x61, 0x3d, 0xff]), 'application/x-www-form-urlencoded', 400, 'encoding_invalid');
    assert.deepEqual(await data(await post('{"a":"\\\\u0000 \\ud83d\\ude00"}', 'application/json')), {
      a: '\\u0000 😀',
    });
  });

  it('may contain a form parameter only once', async () => {
    await refused('a=1&a=2', 'application/x-www-form-urlencoded', 400, 'parameter_repeated');
    await refused('a=1&b=2&%61=3', 'application/x-www-form-urlencoded', 400, 'parameter_repeated');
  });

  it('are refused if they are nested too deeply, at any size', async () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    assert.equal((await post(nested(63), 'application/json')).status, 201);
    await refused(nested(64), 'application/json', 400, 'body_invalid');
    await refused(nested(400_000), 'application/json', 400, 'body_invalid');
    await refused(
      `{"\\u0061":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
      'application/json',
      400,
      'body_invalid',
    );
    assert.equal((await post(JSON.stringify({ a: '[{"'.repeat(1000) }), 'application/json')).status, 201);
  });

  it('may have at most 1 MiB', async () => {
    const padding = 1024 * 1024 - '{"a":""}'.length;
    assert.equal((await post(`{"a":"${'x'.repeat(padding)}"}`, 'application/json')).status, 201);
    await refused(`{"a":"${'x'.repeat(padding + 1)}"}`, 'application/json', 413, 'body_too_large');
    const head =
      'POST /v1/things HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Type: application/json\r\n';
    const announced = await sendOne(url, `${head}Content-Length: 99999999999\r\n\r\n{`);
    assert.equal(announced.status, 413);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const chunked = await sendOne(url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`);
    assert.equal(chunked.status, 413);
  });

  it('are read to the end if they are too long, so that the caller gets the response', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024, 'x');
    for (let i = 0; i < 5; i++) {
      const status = await new Promise((resolve, reject) => {
        const headers = {
          accept: 'application/json',
          'content-type': 'application/json',
          'content-length': body.length,
        };
        const request = httpRequest(`${url}/v1/things`, { method: 'POST', headers, agent: false });
        request.on('error', reject);
        request.on(
          'response',
          (response) => request.once('close', () => resolve(response.statusCode)) && response.resume(),
        );
        request.end(body);
      });
      assert.equal(status, 413);
    }
  });

  it('can be chunked at any position', async () => {
    const head =
      'POST /v1/things HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const response = await sendOne(url, `${head}5\r\n{"a":\r\n1\r\n"\r\n3\r\nü"\r\n1\r\n}\r\n0\r\n\r\n`);
    assert.deepEqual(response.json(), { data: { a: 'ü' } });
    assert.equal((await sendOne(url, `${head}zz\r\n{}\r\n0\r\n\r\n`)).status, 400);
  });

  it('can be omitted if a route needs none', async () => {
    assert.equal(await data(await post(undefined, undefined)), null);
    assert.equal(await data(await post(undefined, 'application/json')), null);
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const headers = { accept: 'application/json', 'content-type': type };
      assert.equal((await fetch(`${url}/v1/things/1`, { method: 'DELETE', headers })).status, 204);
    }
    const needed = await post(undefined, 'application/json', '/v1/strict');
    assert.equal(needed.status, 400);
    assert.equal(((await needed.json()) as { code: string }).code, 'body_empty');
  });

  it('are refused with 422 and the fields if they violate the schema', async () => {
    const response = await post('{"nam":"x"}', 'application/json', '/v1/strict');
    assert.equal(response.status, 422);
    const { errors } = (await response.json()) as { errors: unknown };
    assert.deepEqual(errors, [
      { field: 'name', code: 'required', message: 'name is required.' },
      { field: 'nam', code: 'unknown', message: 'nam is not a field that can be sent here.' },
    ]);
  });

  it('are separate from the next request on the connection', async () => {
    const request = (body: string, type: string) =>
      `POST /v1/things HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const responses = await sendRaw(
      url,
      request('{"n":1}', 'application/json') +
        request('<a/>', 'text/xml') +
        request('n=3', 'application/x-www-form-urlencoded'),
      { count: 3 },
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      [201, 415, 201],
    );
    assert.deepEqual(responses[2]?.json(), { data: { n: '3' } });
  });
});
