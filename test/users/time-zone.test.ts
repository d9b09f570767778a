import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { password } from '../harness/people.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';

onBothEngines('Times in mail', (engine) => {
  const start = services(engine);

  it('are in the last time zone of the browser, or in UTC', async () => {
    const service = await start();
    const [ada, bob] = ['ada@example.com', 'bob@example.com'];
    const register = (email: string, zone: string) =>
      request(service, '/v1/register', { json: { email, password }, headers: { 'time-zone': zone } });
    assert.equal((await register(ada, 'Europe/Berlin')).status, 201);
    assert.equal((await register(bob, 'Middle-earth/Shire')).status, 201, 'an invalid time zone is ignored');
    const timeIn = async (template: string, email: string) => (await mailsTo(service, template, email)).at(-1)?.text;
    assert.match((await timeIn('confirm-email', ada)) ?? '', /until \d+ \w+ \d{4} at \d\d:\d\d \(Europe\/Berlin\)/);
    assert.match((await timeIn('confirm-email', bob)) ?? '', /until \d+ \w+ \d{4} at \d\d:\d\d UTC/);
    const headers = { 'time-zone': 'America/New_York' };
    await request(service, '/v1/clients/web/admin/login', { json: { email: ada, password }, headers });
    await request(service, '/v1/password/resets', { json: { email: ada } });
    assert.match((await timeIn('reset-password', ada)) ?? '', /until .* \(America\/New York\)/);
  });
});
