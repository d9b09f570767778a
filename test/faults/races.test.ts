import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { gatehouse } from '../harness/command.ts';
import { createTestDatabase } from '../harness/engines.ts';
import { trials } from '../harness/trial.ts';

const json = { accept: 'application/json', 'content-type': 'application/json' };

describe('Races between three instances on one PostgreSQL', () => {
  const begin = trials();

  it('are won by one instance each, after a concurrent start on an empty database', { timeout: 800_000 }, async (t) => {
    const database = await createTestDatabase('postgres');
    t.after(() => database.remove());
    const env = { DATABASE_URL: database.url, BASE_URL: 'http://auth.example' };
    const { dir, start } = await begin(env, database.dir);
    // `begin` has created the tables, so these instances start on a second, empty database.
    const empty = await createTestDatabase('postgres');
    t.after(() => empty.remove());
    const onEmpty = { DATABASE_URL: empty.url };
    const instances = await Promise.all([1, 2, 3].map((n) => start({ ...onEmpty, DATA_DIR: `at-once-${n}` })));
    const urls = instances.map(({ url }) => url);
    const keys = await Promise.all(urls.map(async (url) => (await fetch(`${url}/.well-known/jwks.json`)).text()));
    assert.equal(new Set(keys).size, 1, 'one signing key');
    const made = await gatehouse(['client', 'create', 'Racer', '--json'], dir, { ...env, ...onEmpty });
    const client = JSON.parse(made.stdout) as Record<string, string>;
    const at = (n: number) => urls[n % urls.length] as string;

    const token = async (n: number, form: Record<string, string>) => {
      const body = new URLSearchParams({ ...client, ...form });
      const response = await fetch(`${at(n)}/v1/oauth/token`, {
        method: 'POST',
        headers: { accept: json.accept },
        body,
      });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    };

    let refreshes = 0;
    for (let round = 0; round < 100; round++) {
      const { body } = await token(round, { grant_type: 'client_credentials' });
      const refresh_token = body.refresh_token as string;
      const raced = await Promise.all([0, 1, 2].map((n) => token(n, { grant_type: 'refresh_token', refresh_token })));
      const won = raced.filter(({ status }) => status === 200);
      assert.ok(won.length >= 1, JSON.stringify(raced));
      // A repeated refresh returns the same successor. A session never forks.
      assert.equal(new Set(won.map((one) => one.body.refresh_token)).size, 1, 'one successor');
      refreshes += raced.length;
    }

    const { body: login } = await token(0, { grant_type: 'client_credentials' });
    const authorization = `Bearer ${login.access_token}`;
    for (let round = 0; round < 50; round++) {
      const headers = { ...json, authorization, 'idempotency-key': randomUUID() };
      const body = JSON.stringify({ label: randomUUID(), count: 1 });
      const raced = await Promise.all(
        [0, 1, 2].map(async (n) => {
          const response = await fetch(`${at(n)}/v1/entries`, { method: 'POST', headers, body });
          return { status: response.status, body: (await response.json()) as { data?: { id: string } } };
        }),
      );
      const ids = new Set(raced.filter(({ status }) => status === 201).map((one) => one.body.data?.id));
      assert.equal(ids.size, 1, JSON.stringify(raced));
      for (const { status } of raced) assert.ok(status === 201 || status === 409, `${status}`);
    }

    for (let round = 0; round < 10; round++) {
      const body = JSON.stringify({
        email: `racer-${round}@example.com`,
        password: 'correct horse battery',
        name: 'R',
      });
      const raced = await Promise.all(
        [0, 1, 2].map((n) => fetch(`${at(n)}/v1/register`, { method: 'POST', headers: json, body })),
      );
      for (const { status } of raced) assert.ok(status < 500, `${status}`);
    }
    const reader = await fetch(`${at(0)}/v1/users?search=email:racer-*&limit=100`, {
      headers: { ...json, authorization },
    });
    const { data } = (await reader.json()) as { data?: { email: string }[] };
    const emails = (data ?? []).map(({ email }) => email);
    assert.equal(new Set(emails).size, emails.length, 'one user per email');
    t.diagnostic(`${refreshes} refreshes, 150 creations under 50 keys, 30 registrations of 10 addresses`);
  });
});
