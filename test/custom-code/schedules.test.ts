import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runDeclaredJob } from '../../extensions/jobs/list-and-run.ts';
import { findSchedules, insertRun, updateRun } from '../../extensions/jobs/schedule-store.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { type RequestOptions, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const project = fileURLToPath(new URL('project', import.meta.url));
const dying = fileURLToPath(new URL('../harness/dying-schedule.ts', import.meta.url));
const day = 24 * 60 * 60_000;

interface Run {
  readonly id: string;
  readonly state: string;
  readonly scheduled_for: string | null;
  readonly attempts: number;
  readonly error: string | null;
  readonly finished_at: string | null;
}

onBothEngines('Scheduled jobs', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  let instances: Service[];
  let token: string;
  before(async () => {
    const env = {
      ROLES: 'admin,vet',
      RESOURCES_DIR: join(project, 'resources'),
      JOBS_DIR: join(project, 'jobs'),
      VIEWS_DIR: join(project, 'views'),
    };
    const first = await start({ env });
    instances = [first, await start({ env, database: first.database }), await start({ env, database: first.database })];
    const form = { email: 'admin@example.com', password: 'correct horse battery' };
    token = String((await request(first, '/v1/clients/web/admin/login', { form: { ...form } })).body.access_token);
    await together((service) => service.jobs.tick());
  });
  const together = (work: (service: Service) => Promise<unknown>) => Promise.all(instances.map(work));
  const api = <T>(path: string, options: RequestOptions = {}) =>
    request<{ data: T }>(instances[0] as Service, path, { token, ...options });
  /** All instances check the schedule at the same time, several times. */
  const pass = async (ms: number) => {
    for (const service of instances) service.advance(ms);
    const form = { email: 'admin@example.com', password: 'correct horse battery' };
    token = String((await request(instances[0] as Service, '/v1/clients/web/admin/login', { form })).body.access_token);
    for (let look = 0; look < 3; look++) await together((service) => service.jobs.tick());
    await together((service) => service.queue.runDueJobs());
  };
  const nights = async () =>
    (await api<{ number: string }[]>('/v1/bills?search=title:night&orderBy=created_at')).body.data.map(
      ({ number }) => number,
    );
  const runs = async () => (await api<Run[]>('/v1/scheduled-jobs/nightly/runs')).body.data;
  const job = async () => (await api<Record<string, string>>('/v1/scheduled-jobs/nightly')).body.data;

  it('run once across all instances, and once after missed times', async () => {
    const { name, next_run_at: next, time_zone: zone } = await job();
    assert.equal(name, 'nightly');
    const hour = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeStyle: 'short', hourCycle: 'h23' });
    assert.deepEqual([hour.format(new Date(next ?? '')), zone], ['03:00', 'Europe/Berlin']);
    assert.deepEqual(await nights(), []);
    await pass(3 * day);
    assert.deepEqual(await nights(), [`night ${Date.parse(next ?? '')}`], 'one run after three missed nights');
    await pass(60_000);
    assert.equal((await nights()).length, 1);
    await pass(day);
    assert.equal((await nights()).length, 2);
    const [last, first] = await runs();
    assert.deepEqual([last?.state, last?.attempts, first?.scheduled_for], ['done', 1, next]);
    assert.equal((await job()).last_state, 'done');
  });

  it('are none if no job has a schedule', async () => {
    const [service] = instances as [Service];
    assert.deepEqual(await findSchedules(service.context.database.db, []), []);
  });

  it('are retried after a failure, show the error, and run at the next time', async () => {
    const stop = (await api<{ id: string }>('/v1/bills', { json: { title: 'stop', amount: 0 } })).body.data;
    await pass(day);
    const [waiting] = await runs();
    assert.deepEqual([waiting?.state, waiting?.attempts, waiting?.error], ['waiting', 1, 'told to stop']);
    await pass(60_000);
    const [failed] = await runs();
    assert.deepEqual([failed?.state, failed?.attempts], ['failed', 2]);
    await api(`/v1/bills/${stop.id}`, { method: 'DELETE' });
    await pass(day);
    assert.equal((await nights()).length, 3);
  });

  it('run once, even if the instance that runs them is killed', async () => {
    const [first] = instances as [Service];
    const { next_run_at: due } = await job();
    const before = await nights();
    // The clock of this instance is ahead, so it takes the run. The others check every second.
    const at = Date.parse(due ?? '') + 5 * 60_000;
    const { databaseUrl, dataDir, encryptionKey } = first.context.config;
    const env = {
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      ...(encryptionKey && { ENCRYPTION_KEY: encryptionKey }),
    };
    // With the preloaded files of this process, it can open the keys.
    const preloaded = process.execArgv.filter((option) => option.startsWith('--import='));
    const args = ['--conditions=gatehouse-source', ...preloaded, dying, JSON.stringify(env), String(at)];
    const died = promisify(execFile)(process.execPath, args).then(
      ({ stdout, stderr }) => ({ signal: null, stdout, stderr }),
      (error: { signal: string; stdout: string; stderr: string }) => error,
    );
    const { signal, stdout, stderr } = await died;
    assert.equal(signal, 'SIGKILL', stdout + stderr);
    await pass(Date.parse(due ?? '') + 1000 - first.context.now());
    const [begun, ...others] = await runs();
    assert.deepEqual(
      [begun?.state, begun?.attempts, begun?.scheduled_for],
      ['running', 1, due],
      'the run may still be in progress',
    );
    assert.deepEqual(await nights(), before);
    await pass(6 * 60_000);
    assert.deepEqual(
      await nights(),
      [...before, `night ${Date.parse(due ?? '')}`],
      'another instance repeats the run once',
    );
    const [done, ...rest] = await runs();
    assert.deepEqual([done?.id, done?.state, done?.attempts, rest], [begun?.id, 'done', 2, others]);
    await pass(60_000);
    assert.equal((await nights()).length, before.length + 1);
  });

  it('run on request of an administrator or the operator', async () => {
    const asked = await api<{ id: string }>('/v1/scheduled-jobs/nightly/starts', { method: 'POST' });
    assert.equal(asked.status, 202, asked.text);
    await pass(0);
    const [run] = await runs();
    assert.deepEqual([run?.id, run?.state, run?.scheduled_for], [asked.body.data.id, 'done', null]);
    const { resourceServices, queue } = instances[1] as Service;
    await assert.rejects(runDeclaredJob(resourceServices, queue, { name: 'nightli' }), /Did you mean "nightly"\?/);
    await assert.rejects(runDeclaredJob(resourceServices, queue, { name: 'nightly' }), 'the number is taken');
    const [manual] = await runs();
    assert.equal(manual?.state, 'failed');
    assert.equal((await request(instances[0] as Service, '/v1/scheduled-jobs', {})).status, 401);
  });

  it('are not started while a run is open', async () => {
    const path = '/v1/scheduled-jobs/nightly/starts';
    // Every attempt fails, and a run that will be retried is open.
    const stop = (await api<{ id: string }>('/v1/bills', { json: { title: 'stop', amount: 0 } })).body.data;
    const starts = instances.map((service) => request<{ code?: string }>(service, path, { token, method: 'POST' }));
    const results = (await Promise.all(starts)).map(({ status, body }) => `${status} ${body.code ?? ''}`.trim());
    assert.deepEqual(results.sort(), ['202', '409 run_not_ended', '409 run_not_ended']);
    await pass(0);
    assert.equal((await api(path, { method: 'POST' })).status, 409);
    await pass(60_000);
    // The next scheduled run is due, and two instances get a request at the same time.
    const { next_run_at: due } = await job();
    const before = (await runs()).length;
    const [first, second, third] = instances as [Service, Service, Service];
    for (const service of instances) service.advance(Date.parse(due ?? '') + 1000 - service.context.now());
    const login = { email: 'admin@example.com', password: 'correct horse battery' };
    token = String((await request(first, '/v1/clients/web/admin/login', { form: login })).body.access_token);
    await Promise.all([
      third.jobs.tick(),
      request(first, path, { token, method: 'POST' }),
      request(second, path, { token, method: 'POST' }),
    ]);
    assert.equal((await runs()).length, before + 1);
    await pass(0);
    await pass(60_000);
    assert.equal((await runs())[0]?.state, 'failed');
    await api(`/v1/bills/${stop.id}`, { method: 'DELETE' });
  });

  for (const state of ['running', 'waiting'])
    it(`show a ${state} run as failed if its process ended during the last attempt`, async () => {
      const { context, queue } = instances[0] as Service;
      const at = context.now();
      const id = await context.database.db.transaction().execute(async (tx) => {
        const key = await queue.enqueue(tx, { name: 'nightly', data: { scheduledFor: null } });
        await tx.updateTable('queued_jobs').set({ attempts: 2 }).where('id', '=', key).execute();
        const run = { id: key, job_id: 'nightly', state, attempts: 2, started_at: at, created_at: at };
        await insertRun(tx, { ...run, scheduled_for: null, finished_at: null, error: null });
        return key;
      });
      await pass(0);
      const [run] = await runs();
      assert.deepEqual([run?.id, run?.state, run?.attempts], [id, 'failed', 2]);
      assert.match(run?.error ?? '', /the process ended/);
      assert.equal((await job()).last_state, 'failed');
    });

  /** A service with the schedule `nightly` but without its file, so that its runs wait. */
  const startWithoutFiles = async () => {
    const database = await createDatabase();
    const declared = await start({ env: { JOBS_DIR: join(project, 'jobs') }, database });
    await declared.jobs.tick();
    await declared.close();
    const service = await start({ database });
    const form = { email: 'admin@example.com', password: 'correct horse battery' };
    const login = await request(service, '/v1/clients/web/admin/login', { form });
    const send = <T>(method: string, path: string) =>
      request<{ data: T; code?: string }>(service, path, { token: String(login.body.access_token), method });
    const job = '/v1/scheduled-jobs/nightly';
    return {
      service,
      send,
      startRun: () => send<Run>('POST', `${job}/starts`),
      runs: async () => (await send<Run[]>('GET', `${job}/runs`)).body.data,
      lastState: async () => (await send<{ last_state: string }>('GET', job)).body.data.last_state,
      change: (id: string, change: { leased_until?: number; failed_at?: number }) =>
        service.context.database.db.updateTable('queued_jobs').set(change).where('id', '=', id).execute(),
    };
  };

  it('stay in the database without their files, and can be started', async () => {
    const { service, startRun, runs } = await startWithoutFiles();
    const asked = await startRun();
    assert.equal(asked.status, 202, asked.text);
    await service.jobs.tick();
    await service.queue.runDueJobs();
    const [run] = await runs();
    assert.deepEqual([run?.id, run?.state, run?.scheduled_for], [asked.body.data.id, 'waiting', null]);
  });

  it('fail when an administrator deletes the queued job of a run, which is impossible while it is running', async () => {
    const { service, send, startRun, runs, lastState, change } = await startWithoutFiles();
    const { id } = (await startRun()).body.data;
    const remove = () => send('DELETE', `/v1/queued-jobs/${id}`);
    const now = service.context.now();
    await change(id, { leased_until: now + 3_600_000 });
    const { status, body } = await remove();
    assert.deepEqual([status, body.code], [409, 'run_not_ended']);
    await change(id, { leased_until: now - 1 });
    assert.equal((await remove()).status, 204);
    const [run] = await runs();
    assert.deepEqual([run?.id, run?.state, run?.error], [id, 'failed', 'an administrator deleted the queued job']);
    assert.ok(run?.finished_at);
    assert.equal(await lastState(), 'failed');
    assert.equal((await startRun()).status, 202);
  });

  it('are not retried while another run is open', async () => {
    const { service, send, startRun, runs, lastState, change } = await startWithoutFiles();
    const { id } = (await startRun()).body.data;
    const { db } = service.context.database;
    const now = service.context.now();
    await change(id, { failed_at: now });
    await updateRun(db, { id, job_id: 'nightly' }, { state: 'failed', finished_at: now });
    const { id: open } = (await startRun()).body.data;
    const retry = () => send('POST', `/v1/queued-jobs/${id}/retries`);
    const { status, body } = await retry();
    assert.deepEqual([status, body.code], [409, 'run_not_ended']);
    assert.deepEqual((await runs()).map(({ state }) => state).sort(), ['failed', 'waiting']);
    assert.equal((await send('DELETE', `/v1/queued-jobs/${open}`)).status, 204);
    assert.equal((await retry()).status, 204);
    const reopened = (await runs()).find((run) => run.id === id);
    assert.deepEqual([reopened?.state, reopened?.finished_at, await lastState()], ['waiting', null, 'waiting']);
    assert.equal((await startRun()).status, 409);
  });
});
