import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gatehouseHere } from '../harness/command-here.ts';

describe('The command check', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-check-test-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'languages'));
  const speak = (language: string, messages: Record<string, string>) =>
    writeFileSync(join(dir, 'languages', `${language}.json`), JSON.stringify(messages));
  const check = () => gatehouseHere(['check'], dir, {});

  it('lists the missing and the unknown messages of a custom language', async () => {
    speak('nl', { 'login.title': 'Aanmelden', 'garage.title': 'Garage' });
    speak('de', { 'login.title': 'Herein' });
    const { code, stdout, stderr } = await check();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^nl\.json lacks [\d,]{3,} messages:\n( {2}\S.{0,69}\n){5} {2}… and [\d,]{3,} more\n/);
    assert.doesNotMatch(stdout, /login\.title|de\.json/, 'the built-in German messages fill the gaps');
    assert.ok(stdout.includes('\nnl.json has 1 key that is not of Gatehouse:\n  garage.title\n'), stdout);
    assert.ok(stdout.endsWith('\nSettings, resources, routes, views, messages and mail templates are fine.\n'), stdout);
  });

  it('warns about names that are not plural nouns, and refuses a PUT without a GET', async () => {
    const project = mkdtempSync(join(dir, 'names-'));
    const run = () => gatehouseHere(['check'], project, {});
    for (const folder of ['resources', 'routes']) mkdirSync(join(project, folder));
    const source = (name: string) => `import { defineResource, text } from 'gatehouse-server/resources';
export default defineResource({ name: '${name}', fields: { plate: text() }, access: { read: 'auth:api', write: 'auth:api' } });
`;
    for (const name of ['car', 'getcars', 'car-parts', 'car_doors', 'people', 'settings-lists', 'listings'])
      writeFileSync(join(project, 'resources', `${name}.ts`), source(name));
    const advised = await run();
    assert.equal(advised.code, 0, advised.stderr);
    assert.match(advised.stdout, /car\.ts: name: "car" is not a plural noun/);
    assert.match(advised.stdout, /getcars\.ts: name: "getcars" starts with a verb\. .*"cars"/);
    assert.equal(advised.stdout.match(/: name: /g)?.length, 2, advised.stdout);
    const route = (method: string) => `import { defineRoute } from 'gatehouse-server/routes';
export default defineRoute({ method: '${method}', path: '/v1/reports/:id', auth: 'auth:api', handle: () => ({}) });
`;
    writeFileSync(join(project, 'routes', 'put.ts'), route('PUT'));
    const refused = await run();
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /put\.ts: PUT \/v1\/reports\/:id has no GET with the same path/);
    writeFileSync(join(project, 'routes', 'get.ts'), route('GET').replace(':id', ':number'));
    assert.equal((await run()).code, 0);
  });

  it('names the missing options of a declaration', async () => {
    const project = mkdtempSync(join(dir, 'unnamed-'));
    mkdirSync(join(project, 'resources'));
    const source = `import { defineResource, t } from 'gatehouse-server/resources';
export default defineResource({ fields: { plate: t.text() } });
`;
    writeFileSync(join(project, 'resources', 'cars.ts'), source);
    const { code, stderr } = await gatehouseHere(['check'], project, {});
    assert.equal(code, 1);
    assert.match(stderr, /cars\.ts: name: it is missing.*cars\.ts: access: it is missing/s);
    assert.doesNotMatch(stderr, /TypeError/);
  });

  it('refuses a provider with an empty client id or secret', async () => {
    const run = async (credentials: string) => {
      const project = mkdtempSync(join(dir, 'provider-'));
      mkdirSync(join(project, 'providers'));
      const source = `export default { name: 'acme', issuer: 'https://acme.example', ${credentials} };`;
      writeFileSync(join(project, 'providers', 'acme.ts'), source);
      const { code, stderr } = await gatehouseHere(['check'], project, {});
      return `${code} ${stderr}`;
    };
    const secret = "clientSecret: process.env.NO_SUCH_SECRET ?? ''";
    assert.match(await run(`clientId: 'a', ${secret}`), /^1 .*acme\.ts:\n {2}clientSecret is empty\. .*variable/);
    assert.match(await run("clientId: '', clientSecret: 'b'"), /^1 .*acme\.ts:\n {2}clientId is missing or empty/);
    assert.equal(await run("clientId: 'a'"), '0 ', 'a public client has no secret');
  });

  it('refuses a message with an unknown value or invalid syntax', async () => {
    speak('nl', { 'login.title': 'Dag {nobody}' });
    const foreign = await check();
    assert.deepEqual([foreign.code, /are fine/.test(foreign.stdout)], [1, false]);
    assert.equal(foreign.stderr, 'gatehouse: nl.json: login.title: nobody is not a value of this message.\n');
    speak('nl', { 'login.title': 'Dag {name' });
    const unreadable = await check();
    assert.equal(unreadable.code, 1);
    assert.match(unreadable.stderr, /nl\.json: the message "login\.title": .+ is missing after "name"/);
  });

  it('refuses a missing or invalid mail template', async () => {
    const project = mkdtempSync(join(dir, 'mails-'));
    const run = () => gatehouseHere(['check'], project, {});
    for (const folder of ['routes', 'views/mail']) mkdirSync(join(project, folder), { recursive: true });
    const mail = (name: string, text: string) => writeFileSync(join(project, 'views/mail', name), text);
    const route = (template: string) =>
      writeFileSync(
        join(project, 'routes/bookings.ts'),
        `import { defineRoute } from 'gatehouse-server/routes';
export default defineRoute({
  method: 'POST', path: '/v1/bookings', auth: 'auth:api',
  async handle({ mail }) {
    await mail('${template}', 'ada@example.com');
    return {};
  },
});
`,
      );
    mail('booking-made.txt', 'Subject: Booked\n\nThank you.');
    mail('booking-made.html', '<p>Thank you.</p>');
    route('booking-made');
    const right = await run();
    assert.equal(right.code, 0, right.stderr);
    route('booking-mad');
    const misspelt = await run();
    assert.equal(misspelt.code, 1);
    assert.match(
      misspelt.stderr,
      /bookings\.ts:5: there is no mail template booking-mad\.txt in .*mail\. Did you mean "booking-made"\?/,
    );
    route('booking-made');
    mail('alone.txt', 'Dear {{ name }');
    const broken = await run();
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /alone\.txt: .*not closed/);
    assert.match(broken.stderr, /alone\.txt: it must begin with a line "Subject: …"\./);
    assert.match(broken.stderr, /alone\.txt: a mail needs both alone\.txt and alone\.html; alone\.html is missing\./);
  });

  it('refuses a .env with misspelt settings or with a password that breaks a URL, and does not show the password', async () => {
    const project = mkdtempSync(join(dir, 'env-'));
    const run = () => gatehouseHere(['check'], project, {});
    writeFileSync(join(project, '.env'), 'SMTPURL=smtp://a\nBASEURL=https://a\nPROT=80\nSMTP_HOST=a\n');
    const { code, stderr } = await run();
    assert.equal(code, 1);
    for (const name of ['SMTPURL', 'BASEURL', 'PROT', 'SMTP_HOST'])
      assert.match(stderr, new RegExp(`${name} is not a setting`));
    writeFileSync(join(project, '.env'), 'DATABASE_URL=postgres://postgres:ab/cd+e=@127.0.0.1/x\n');
    const broken = await run();
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /^gatehouse: DATABASE_URL: .*percent-encode/);
    assert.doesNotMatch(broken.stderr + broken.stdout, /cd\+e/);
    const moved = await gatehouseHere(['move', '--to', 'postgres://postgres:ab/cd+e=@127.0.0.1/x'], dir, {});
    assert.equal(moved.code, 2);
    assert.match(moved.stderr, /percent-encode[^\n]*\nUsage: gatehouse move /);
    assert.doesNotMatch(moved.stderr + moved.stdout, /cd\+e/);
  });
});
