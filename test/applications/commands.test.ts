import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gatehouseHere } from '../harness/command-here.ts';
import { databases, type TestDatabase } from '../harness/engines.ts';

describe('Applications on the command line', () => {
  const create = databases('sqlite');
  let database: TestDatabase;
  before(async () => {
    database = await create();
  });
  const run = (...args: string[]) =>
    gatehouseHere(args, database.dir, { DATABASE_URL: database.url, DATA_DIR: database.dir });
  async function response(...args: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await run(...args, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  }
  const uri = 'https://notes.example/callback';

  it('are created, confidential or public, and shown', async () => {
    const uris = ['--redirect-uri', uri, '--redirect-uri', 'http://127.0.0.1/cb'];
    const made = await response('client', 'create', 'Notes', '--application', '--trusted', ...uris);
    assert.match(String(made.client_secret), /^gh_sec_\w+$/);
    const {
      public: isPublic,
      trusted,
      redirect_uris,
      scopes,
      type,
    } = await response(...['client', 'show', String(made.client_id)]);
    assert.deepEqual(
      [type, isPublic, trusted, redirect_uris],
      ['application', false, true, [uri, 'http://127.0.0.1/cb']],
    );
    assert.ok((scopes as string[]).includes('openid') && !(scopes as string[]).includes('*'));

    const open = await run('client', 'create', 'Phone', '--id', 'phone', '--type', 'application', '--public');
    assert.deepEqual([open.code, open.stdout.includes('client_secret')], [0, false], open.stderr);
    await run('client', 'create', 'Desk', '--id', 'desk', '--application', '--public', '--trusted', '--scope', '*');
    const { stdout } = await run('doctor', '--json');
    const found = (JSON.parse(stdout) as { part: string; summary: string }[]).filter(
      ({ part }) => part === 'applications',
    );
    assert.ok(found.length === 2 && found.every(({ summary }) => /: desk$/.test(summary)), stdout);
    const secret = await run('client', 'secret', 'phone');
    assert.deepEqual([secret.code, /is public/.test(secret.stderr)], [1, true]);
  });

  it('are refused for the same reasons as by the API', async () => {
    for (const [args, says] of [
      [['--application', '--redirect-uri', 'http://notes.example/'], /--redirect-uri .* must use https/],
      [['--application', '--logo', 'http://notes.example/'], /--logo must use https/],
      [['--redirect-uri', uri], /--redirect-uri is only for applications/],
      [['--public'], /--public is only for applications/],
    ] as const) {
      const { code, stderr } = await run('client', 'create', 'Notes', ...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, says);
    }
  });
});
