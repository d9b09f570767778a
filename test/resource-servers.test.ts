import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { addLogin, password } from './harness/accounts.ts';
import { fenced } from './harness/fenced.ts';
import { type Service, services } from './harness/service.ts';
import { folderInRepository } from './harness/starts.ts';

const run = promisify(execFile);
const guide = 'docs/guides/resource-server.md';

describe('The guide for resource servers', () => {
  const start = services('sqlite');
  const dir = folderInRepository('resource-server');
  let service: Service;
  /** Tokens, each with the expected status. */
  let presented: [token: string, status: number][];

  before(async () => {
    service = await start();
    const { email } = await addLogin(service);
    const logIn = async (scope: string): Promise<string> => {
      const response = await fetch(`${service.url}/v1/clients/web/admin/login`, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams({ email, password, scope }),
      });
      return ((await response.json()) as { access_token: string }).access_token;
    };
    const good = await logIn('*');
    const [header, payload, signature = ''] = good.split('.');
    const forged = [header, payload, `${signature.slice(0, -8)}AAAAAAAA`].join('.');
    presented = [
      [good, 200],
      [await logIn('users:read'), 403],
      [forged, 401],
      ['nonsense', 401],
    ];
  });

  /** A token without `resource` is for the service itself. The page checks tokens for another server. */
  const program = (language: string) =>
    (fenced(guide, language)[0]?.text ?? '').replaceAll(/https:\/\/(auth|reports)\.example\.com/g, service.url);

  it('has a Node program that accepts only valid tokens', async () => {
    const file = join(dir, 'check.ts');
    writeFileSync(file, program('ts'));
    const { check } = (await import(pathToFileURL(file).href)) as { check(token: string): Promise<number> };
    for (const [token, status] of presented) assert.equal(await check(token), status);
  });

  it('has a Python program that does the same', async (t) => {
    const has = await run('python3', ['-c', 'import jwt, cryptography']).catch(() => undefined);
    if (!has) return t.skip('there is no Python with PyJWT here');
    writeFileSync(
      join(dir, 'check.py'),
      `${program('python')}\nimport sys\nprint(*[check(token) for token in sys.argv[1:]])\n`,
    );
    const { stdout } = await run('python3', [join(dir, 'check.py'), ...presented.map(([token]) => token)]);
    assert.equal(stdout.trim(), presented.map(([, status]) => status).join(' '));
  });
});
