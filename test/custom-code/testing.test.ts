import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestService, type TestService } from '../../extensions/testing/testing.ts';
import { databases, onBothEngines } from '../harness/engines.ts';

const project = fileURLToPath(new URL('project', import.meta.url));

onBothEngines('gatehouse-server/testing', (engine) => {
  const database = databases(engine);
  let service: TestService;
  before(async () => {
    const { url } = await database();
    service = await startTestService({ databaseUrl: url, roles: ['admin', 'vet'] }, { workingDir: project });
  });
  after(() => service.stop());

  it('creates a user with a role in one call', async () => {
    const vet = await service.user({ role: 'vet' });
    const { data } = await vet.client.resource<{ id: string; roles: string[] }>('users').get('me');
    assert.deepEqual([data.id, data.roles], [vet.id, ['vet']]);
    const named = await service.user({ email: 'ada@example.com', roles: [] });
    assert.equal(named.email, 'ada@example.com');
  });

  it('creates rows by their declaration, including their references', async () => {
    const visit = await service.make('pet-visits', { reason: 'teeth' });
    assert.equal(visit.reason, 'teeth');
    assert.ok(visit.user_id, 'the referenced user was created');
    const [one, two] = [await service.make('bills'), await service.make('bills')];
    assert.ok(one.title && one.currency === 'EUR' && one.id !== two.id);
    await assert.rejects(service.make('bils' as never), /Did you mean "bills"\?/);
    await assert.rejects(service.make('bills', { amount: -1 }), /are invalid|amount/i);
  });

  it('shows queued jobs, runs them, and shows the mail', async () => {
    const { client } = await service.user();
    const json = { to: 'grace@example.com' };
    const sent = await client.call({ method: 'POST', path: '/v1/reminders', body: json });
    assert.equal(sent.status, 202);
    const [job, ...others] = await service.jobs('remind');
    assert.deepEqual([job?.data, job?.state, others], [{ to: 'grace@example.com' }, 'waiting', []]);
    assert.deepEqual(await service.jobs('nightly'), []);
    await service.work();
    assert.deepEqual(await service.jobs('remind'), []);
    const [mail] = await service.mails('grace@example.com');
    assert.deepEqual(
      [mail?.template, mail?.subject, mail?.text.trim()],
      ['reminder', 'A reminder', 'Your visit is tomorrow.'],
    );
  });

  it('advances the clock and runs scheduled jobs, and shows the changes', async () => {
    const from = service.now();
    await service.advance('1d');
    assert.ok(service.now() - from >= 24 * 3_600_000);
    const night = (await service.changes('bills')).filter(({ after: row }) => row?.title === 'night');
    assert.deepEqual(
      night.map(({ operation, actor }) => [operation, actor]),
      [['created', null]],
    );
    await assert.rejects(service.changes('owners'), /records no changes/);
    await assert.rejects(service.advance('soon'), /advance takes milliseconds/);
  });

  it('runs the seeds', async () => {
    await service.seed();
    const { data } = await service
      .resource('pet-visits')
      .list({ search: { reason: 'vaccination' }, include: ['owner'] });
    assert.equal(data[0]?.owner.data.name, 'Grace');
    await assert.rejects(service.seed('01-owner'), /Did you mean "01-owners"\?/);
  });
});
