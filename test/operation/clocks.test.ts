import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gatehouse, type ServerProcess, serverProcesses } from '../harness/command.ts';
import { databases } from '../harness/engines.ts';
import { request } from '../harness/request.ts';

const hour = 3_600_000;
const preload = fileURLToPath(new URL('../harness/wrong-clock.ts', import.meta.url));

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

describe('Instances whose clocks are hours apart', () => {
  const create = databases('postgres');
  const serve = serverProcesses();
  let client: { client_id: string; client_secret: string };
  let early: ServerProcess;
  let late: ServerProcess;
  before(async () => {
    const { dir, url: DATABASE_URL } = await create();
    // Long enough for this test, and short compared with the hours.
    const env = { DATABASE_URL, BASE_URL: 'http://auth.example.com', REFRESH_GRACE: '300', ACCESS_TOKEN_TTL: '1800' };
    const made = await gatehouse(['client', 'create', 'Robot', '--json'], dir, { ...env, DATA_DIR: dir });
    assert.equal(made.code, 0, made.stderr);
    client = JSON.parse(made.stdout);
    const instance = (skew: number) => {
      const clock = { NODE_OPTIONS: `--import=${preload}`, CLOCK_SKEW: String(skew) };
      return serve(dir, { ...env, ...clock, DATA_DIR: join(dir, String(skew)) });
    };
    [early, late] = await Promise.all([instance(-3 * hour), instance(3 * hour)]);
  });

  const token = async ({ url }: ServerProcess, form: Record<string, string>): Promise<Tokens> => {
    const { client_id, client_secret } = client;
    const { status, body } = await request<Tokens>({ url }, '/v1/oauth/token', {
      form: { client_id, client_secret, ...form },
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const issue = (at: ServerProcess) => token(at, { grant_type: 'client_credentials' });
  const refresh = (at: ServerProcess, { refresh_token }: Tokens) =>
    token(at, { grant_type: 'refresh_token', refresh_token });
  const use = async ({ url }: ServerProcess, { access_token }: Tokens) =>
    assert.equal((await request({ url }, '/v1/users', { token: access_token })).status, 200);

  /** A device that sends its requests to different instances and loses a response. */
  async function live(one: ServerProcess, other: ServerProcess): Promise<void> {
    const first = await issue(one);
    await use(other, first);
    const second = await refresh(one, first);
    assert.equal((await refresh(other, first)).refresh_token, second.refresh_token);
    await use(other, second);
    assert.equal(
      (await refresh(other, first)).refresh_token,
      second.refresh_token,
      'within the grace period after the first use',
    );
    const third = await refresh(other, second);
    await use(one, third);
    assert.equal((await refresh(one, second)).refresh_token, third.refresh_token);
    await use(other, third);
  }

  it('sign nobody out', async () => {
    await live(early, late);
    await live(late, early);
  });

  it('sign nobody out when a clock is set', async () => {
    const before = await issue(early);
    for (const step of [hour, -7 * hour, 6 * hour]) {
      const stepped = new Promise((resolve) => early.child.once('message', resolve));
      early.child.send(step);
      await stepped;
      await use(early, before);
      await live(early, late);
    }
    const after = await refresh(early, before);
    await use(late, after);
  });
});
