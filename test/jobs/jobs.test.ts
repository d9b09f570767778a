import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadJobs } from '../../extensions/jobs/load-jobs.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { gatehouse } from '../harness/command.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type MailServer, mailServers } from '../harness/mail-server.ts';
import { type RequestOptions, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const project = fileURLToPath(new URL('project', import.meta.url));
const hour = 60 * 60_000;

onBothEngines('Jobs of an operator', (engine) => {
  const start = services(engine);
  const startMailServer = mailServers();
  let service: Service;
  let server: MailServer;
  let admin: string;
  let user: string;
  const logIn = async (email: string, secret: string) => {
    const form = { email, password: secret };
    return String((await request(service, '/v1/clients/web/admin/login', { form })).body.access_token);
  };
  before(async () => {
    server = await startMailServer();
    const dirs = { JOBS_DIR: join(project, 'jobs'), ROUTES_DIR: join(project, 'routes') };
    service = await start({
      env: { ...dirs, VIEWS_DIR: join(project, 'views'), SMTP_URL: server.url, ACCESS_TOKEN_TTL: '864000' },
    });
    admin = await logIn('admin@example.com', 'correct horse battery');
    user = await logIn((await addLogin(service)).email, password);
  });
  const api = (method: string, path: string, options: RequestOptions = {}) =>
    request(service, path, { method, token: admin, ...options });
  const invoice = (to: string, amount = 5) => api('POST', '/v1/invoices', { token: user, json: { to, amount } });
  const queued = async (): Promise<Record<string, unknown>[]> =>
    (await api('GET', '/v1/queued-jobs')).body.data as Record<string, unknown>[];
  const invoices = () => server.mails.filter(({ subject }) => subject === 'Your invoice');
  const sent = async () =>
    (
      await service.context.database.db.selectFrom('events').select('data').where('type', '=', 'invoice.sent').execute()
    ).map(({ data }) => JSON.parse(data) as { key: string; attempt: number });

  it('run after the commit, and mail by a template of the operator waits for an unavailable mail server', async () => {
    server.mood = 'refuse';
    const { status, body } = await invoice('ada@example.com', 7);
    assert.equal(status, 202);
    assert.equal((await invoice('ada@example.com', -1)).status, 409);
    await service.queue.runDueJobs();
    assert.deepEqual(await sent(), [{ key: body.key, attempt: 1 }]);
    const [waiting, ...others] = (await queued()).filter(({ subject }) => subject === 'ada@example.com');
    assert.deepEqual(others, []);
    assert.deepEqual([waiting?.name, waiting?.state, waiting?.attempts], ['mail', 'waiting', 1]);
    assert.match(String(waiting?.last_error), /not now/);
    server.mood = 'accept';
    service.advance(hour);
    await service.queue.runDueJobs();
    assert.deepEqual(
      invoices().map(({ to, text }) => [to?.[0]?.address, text?.trim()]),
      [['ada@example.com', 'Please pay 7.']],
    );
  });

  it('fail, are retried, finally fail, and are retried or deleted by an administrator', async () => {
    const flaky = (await invoice('flaky@example.com')).body.key;
    const never = (await invoice('never@example.com')).body.key;
    for (let attempt = 1; attempt <= 4; attempt++) {
      await service.queue.runDueJobs();
      service.advance(hour);
    }
    assert.deepEqual((await sent()).at(-1), { key: flaky, attempt: 4 });
    const [failed] = (await queued()).filter(({ name }) => name === 'send-invoice');
    assert.deepEqual(
      [failed?.id, failed?.state, failed?.attempts, failed?.last_error],
      [never, 'failed', 4, 'there is no such bank'],
    );
    assert.ok(!('data' in (failed ?? {})), 'nobody can read the data of a job');
    assert.equal((await api('GET', '/v1/queued-jobs', { token: user })).status, 403);
    assert.equal((await api('POST', `/v1/queued-jobs/${never}/retries`, { token: user })).status, 403);
    assert.equal((await api('POST', `/v1/queued-jobs/${never}/retries`)).status, 204);
    await service.queue.runDueJobs();
    const again = (await api('GET', `/v1/queued-jobs/${never}`)).body.data as Record<string, unknown>;
    assert.deepEqual([again.state, again.attempts], ['waiting', 1]);
    assert.equal((await api('DELETE', `/v1/queued-jobs/${never}`)).status, 204);
    assert.equal((await api('GET', `/v1/queued-jobs/${never}`)).status, 404);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /gatehouse_job_attempts_total\{result="failed"\} 1/);
  });
});

describe('A job with the name of a job of the service', () => {
  const start = services('sqlite');

  for (const name of ['mail', 'backchannel-logout'])
    it(`is refused: ${name}`, async () => {
      const dir = mkdtempSync(join(tmpdir(), 'gatehouse-jobs-'));
      writeFileSync(join(dir, 'own.mjs'), `export default { name: '${name}', run() {} }`);
      try {
        await assert.rejects(start({ env: { JOBS_DIR: dir } }), new RegExp(`own\\.mjs:\\n  name: .*"${name}"`));
      } finally {
        rmSync(dir, { recursive: true });
      }
    });
});

it('report the mistake in a declared job and its file', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-jobs-'));
  const refuses = async (text: string, message: RegExp) => {
    const file = `${message.source.length}-${text.length}.mjs`;
    writeFileSync(join(dir, file), text);
    await assert.rejects(loadJobs(dir, { isTaken: (name) => name === 'mail', now: 0 }), message);
    rmSync(join(dir, file));
  };
  try {
    assert.deepEqual(await loadJobs(join(dir, 'none'), { isTaken: () => false, now: 0 }), []);
    await refuses('export default 1', /must `export default defineJob/);
    await refuses('export default { name: "a", rum() {} }', /rum: .*Did you mean "run"\?[\s\S]*run is missing/);
    await refuses('export default { name: "A b", handle() {} }', /name: expected lowercase letters/);
    await refuses('export default { name: "mail", handle() {} }', /another job is named "mail"/);
    await refuses(
      'export default { name: "a", schedule: "61 3 * * *", run() {} }',
      /schedule: "61 3 \* \* \*" is not a schedule/,
    );
    await refuses('export default { name: "a", schedule: "0 3 30 2 *", run() {} }', /it never matches a time/);
    await refuses(
      'export default { name: "a", schedule: "0 3 * * *", timeZone: "Mars/Dome", run() {} }',
      /there is no time zone "Mars\/Dome"/,
    );
    await refuses('export default { name: "a", attempts: 0, handle() {} }', /attempts: expected a whole number/);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

it('jobs log at LOG_LEVEL when the operator runs them', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-jobs-'));
  try {
    const source = "export default { name: 'count', run: async ({ log }) => log.info('seven rows') }";
    writeFileSync(join(dir, 'count.mjs'), source);
    const run = async (level: string) => {
      const env = { JOBS_DIR: dir, DATA_DIR: join(dir, 'data'), LOG_LEVEL: level };
      const { code, stdout, stderr } = await gatehouse(['job', 'run', 'count'], dir, env);
      assert.deepEqual([code, stdout], [0, 'count is done.\n'], stderr);
      return stderr;
    };
    assert.match(await run('info'), /"name":"count","msg":"seven rows"/);
    assert.doesNotMatch(await run('warn'), /seven rows/);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
