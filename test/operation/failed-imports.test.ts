import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { codeFor, redeem, redirectUri } from '../harness/authorizing.ts';
import { logIn, request } from '../harness/request.ts';
import { root, type StartedProcess, startedProcesses } from '../harness/starts.ts';
import { Visitor } from '../harness/visitor.ts';

const admin = ['admin@example.com', 'correct horse battery'] as const;
/** The form of a token that this service did not issue. */
const foreignToken = 'eyJhbGciOiJSUzI1NiJ9.eyJqdGkiOiJhIn0.c2lnbmF0dXJl';
const me = '/v1/users/me';

interface Program extends StartedProcess {
  readonly url: string;
  /** While the function runs, the files have names as in another build. */
  replaced<T>(send: () => Promise<T>): Promise<T>;
}

describe('A service whose files are replaced by another build', () => {
  const started = startedProcesses();
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<Program> {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-replaced-'));
    folders.push(folder);
    for (const path of ['bin', 'dist', 'package.json'])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const service = started(
      { name: 'serve', command: [process.execPath, join(folder, 'bin/gatehouse.mjs'), 'serve'], anywhere: true },
      folder,
      { PORT: '0', RATE_LIMIT: '0', ADMIN_EMAIL: admin[0], ADMIN_PASSWORD: admin[1], DYNAMIC_CLIENTS: 'open' },
    );
    await service.says(/"msg":"listening"/);
    const chunks = join(folder, 'dist/chunks');
    const names = readdirSync(chunks).filter((name) => name.endsWith('.js'));
    for (const name of names) assert.match(name, /-[\w-]{8}\.js$/);
    const otherName = (name: string, i: number) => name.replace(/.{8}\.js$/, `${String(i).padStart(8, '0')}.js`);
    return {
      ...service,
      url: /"address":"([^"]+)"/.exec(service.printed())?.[1] as string,
      async replaced(send) {
        names.forEach((name, i) => {
          renameSync(join(chunks, name), join(chunks, otherName(name, i)));
        });
        try {
          return await send();
        } finally {
          names.forEach((name, i) => {
            renameSync(join(chunks, otherName(name, i)), join(chunks, name));
          });
        }
      },
    };
  }

  let service: Program;
  let visitor: Visitor;
  before(async () => {
    service = await start();
    visitor = new Visitor(service);
    await visitor.signIn(...admin);
  });

  const failures = () => service.printed().match(/"ERR_MODULE_NOT_FOUND"/g)?.length ?? 0;
  /** The status while a file is missing, and the status afterwards. */
  async function statuses(send: () => Promise<{ status: number }>): Promise<[number, number]> {
    const logged = failures();
    const { status } = await service.replaced(send);
    assert.equal(failures(), logged + 1, 'the log names the reason');
    return [status, (await send()).status];
  }
  const register = () => {
    const json = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none', grant_types };
    return request<{ client_id: string }>(service, '/oauth/register', { json });
  };
  const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
  const grant_types = ['authorization_code', deviceGrant];

  it('responds with 503, logs the reason, and loads the file with the next request', async () => {
    assert.deepEqual(await statuses(() => request(service, '/openapi.json')), [503, 200]);
    assert.deepEqual(await statuses(() => request(service, '/docs')), [503, 200]);
    assert.deepEqual(await statuses(() => request(service, me, { token: foreignToken })), [503, 401]);
    assert.deepEqual(await statuses(register), [503, 201]);
    const { client_id } = (await register()).body;
    const manage = () => request(service, `/oauth/register/${client_id}`, { token: 'unknown' });
    assert.deepEqual(await statuses(manage), [503, 401]);

    // Nothing has used a registered client yet. This load fails too, but the client gets its token.
    const parameters = { resource: `${service.url}/mcp`, scope: 'users:read' };
    const redeemCode = async () => redeem(service, { id: client_id }, await codeFor(visitor, client_id, parameters));
    const { status, body } = await service.replaced(redeemCode);
    assert.equal(status, 200);
    const warnings = () => service.printed().match(/the use of a registered client was not noted/g)?.length;
    assert.equal(warnings(), 1);
    assert.equal((await redeemCode()).status, 200);
    assert.equal(warnings(), 1);

    const json = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { accept: 'application/json, text/event-stream' };
    const listTools = () => request(service, '/mcp', { json, headers, token: body.access_token });
    assert.deepEqual(await statuses(listTools), [503, 200]);

    const authorize = () => request(service, '/oauth/device_authorization', { form: { client_id } });
    assert.deepEqual(await statuses(authorize), [503, 200]);
    const form = { grant_type: deviceGrant, device_code: 'unknown', client_id };
    assert.deepEqual(await statuses(() => request(service, '/oauth/token', { form })), [503, 400]);
    assert.deepEqual(await statuses(() => visitor.get('/device')), [503, 200]);
    assert.deepEqual(await statuses(() => visitor.get('/settings/sessions')), [503, 200]);
    const reportToken = () => request(service, '/v1/token-reports', { json: { token: 'unknown' } });
    assert.deepEqual(await statuses(reportToken), [503, 202]);
    const token = await logIn(service, ...admin);
    assert.deepEqual(await statuses(() => request(service, '/v1/diagnoses', { token })), [503, 200]);
    const count = () => request(service, '/v1/users?aggregate=count', { token });
    assert.deepEqual(await statuses(count), [503, 200]);
  });

  it('still serves other requests, and stops without an error', async () => {
    const { url, replaced, child, end } = await start();
    const token = await logIn({ url }, ...admin);
    await replaced(async () => {
      assert.equal((await request({ url }, me, { token: foreignToken })).status, 503);
      assert.equal((await request({ url }, me, { token })).status, 200);
      child.kill('SIGTERM');
      assert.deepEqual(await end, [0, null]);
    });
  });
});
