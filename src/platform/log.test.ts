import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { cleanLogLine, createLog, prettyLog, redactSecrets } from './log.ts';

const token = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

function logged(write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  write(createLog('info', false, { write: (line) => void lines.push(line) }));
  return lines;
}

describe('The log', () => {
  it('hides tokens, credentials and passwords inside texts', () => {
    for (const [text, shown] of [
      [`the token ${token} was refused`, 'the token [hidden] was refused'],
      ['sent Authorization: Bearer abcdefgh12345', 'sent Authorization: Bearer [hidden]'],
      ['sent basic Zm9vOmJhcg==', 'sent basic [hidden]'],
      ['no route to postgres://app:pa@ss:w0rd@db/x now', 'no route to postgres://app:[hidden]@db/x now'],
      ['a=postgres://a:one@b,smtp://c:two@d "x"', 'a=postgres://a:[hidden]@d "x"'],
      ['"smtp://:secret@mail" and "http://host:3000/a"', '"smtp://:[hidden]@mail" and "http://host:3000/a"'],
      ['refresh_token=abc&password=hunter2&x=1', 'refresh_token=[hidden]&password=[hidden]&x=1'],
      [`password="hunter2" token='a b'&secret=""`, 'password=[hidden] token=[hidden]&secret=""'],
      ['nothing at http://127.0.0.1:3000/v1', 'nothing at http://127.0.0.1:3000/v1'],
    ]) {
      assert.equal(redactSecrets(text as string), shown);
    }
  });

  it('hides secrets beside characters that JSON escapes, and the line stays JSON', () => {
    for (const [text, shown] of [
      ['client_id=token="x" is unknown', 'client_id=token=[hidden]" is unknown'],
      ['password="hunter 2", user=ada', 'password=[hidden]", user=ada'],
      [`secret='hunter "2"', user=ada`, "secret=[hidden]', user=ada"],
      ['{"a":"password=\\"hunter2\\""}', '{"a":"password=[hidden]""}'],
      ['password=hunt\\er2 token=', 'password=[hidden] token='],
      ['token=""', 'token=[hidden]"'],
      ['token="abc\\', 'token=[hidden]'],
      [`failed:\n${token}\t${token}`, 'failed:\n[hidden]\t[hidden]'],
      ['sent\nBearer abcdefgh12345', 'sent\nBearer [hidden]'],
    ] as const) {
      const [line = ''] = logged((log) => log.info({ text, last: text }, text));
      const { msg, text: field, last } = JSON.parse(line) as Record<string, unknown>;
      assert.deepEqual([msg, field, last], [shown, shown, shown]);
    }
  });

  it('writes a short line of valid JSON for any input', () => {
    const sent = `${token} `.repeat(30_000);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`name${i}`, '"'.repeat(1500)]));
    const lines = logged((log) => {
      log.info({ requestId: 'r-1', reason: `client ${sent}` }, 'refused');
      log.info(many, 'refused');
      log.error({ err: new Error(sent, { cause: new Error(sent) }) }, 'request failed');
    });
    assert.equal(lines.length, 3);
    for (const line of lines) {
      assert.ok(line.length <= 8192 && line.endsWith('\n'), String(line.length));
      assert.ok(!line.includes('eyJ'));
      const entry = JSON.parse(line) as { level: string; msg: string; time: string };
      assert.ok(entry.level && entry.time && entry.msg);
    }
    assert.match(lines[0] as string, /"requestId":"r-1".*"msg":"refused"/);
  });

  it('hides a password in a URL that was cut before its host', () => {
    const line = `${JSON.stringify({ level: 'info', msg: `${'x'.repeat(1970)} postgres://app:${'p'.repeat(9000)}@db` })}\n`;
    assert.ok(!cleanLogLine(line).includes('ppp'));
  });

  it('writes one line per request on a terminal', async () => {
    let text = '';
    const screen = new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    });
    const log = createLog('info', true, prettyLog(screen));
    const request = { requestId: 'r-1', method: 'POST', route: '/v1/register', status: 201, ms: 12.3, address: '::1' };
    log.info(request, 'request');
    log.error({ ...request, status: 500 }, 'request');
    log.info({ migration: '001-first-tables' }, 'migrated the database');
    const lines = text.trimEnd().split('\n');
    assert.equal(lines.length, 3, text);
    assert.match(lines[0] as string, /INFO: POST \/v1\/register 201 12.3 ms ::1$/);
    assert.match(lines[1] as string, /ERROR: POST \/v1\/register 500 12.3 ms ::1 \(request r-1\)$/);
    assert.match(lines[2] as string, /INFO: migrated the database \{"migration":"001-first-tables"\}$/);
    text = '';
    const coloured = createLog('info', true, prettyLog(screen, true));
    for (const status of [201, 404, 503]) coloured.info({ ...request, status }, 'request');
    for (const painted of ['\u001b[32m201', '\u001b[33m404', '\u001b[31m503']) assert.ok(text.includes(painted), text);
  });

  it('follows causes, and stops at a cycle', () => {
    const error = new Error('outer');
    error.cause = error;
    const [line] = logged((log) => log.error({ err: error }, 'request failed'));
    assert.match(line as string, /"cause":\{"type":"Error","message":"outer"/);
  });
});
