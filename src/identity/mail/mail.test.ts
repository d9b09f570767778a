import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import PostalMime from 'postal-mime';
import { databases, onBothEngines } from '../../../test/harness/engines.ts';
import { mailServers } from '../../../test/harness/mail-server.ts';
import { type Service, services } from '../../../test/harness/service.ts';
import { defaultAttempts } from '../../resources/queue/job.ts';

const recipient = 'ada@example.com';

onBothEngines('Mail', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  const startMailServer = mailServers();

  const write = (service: Service, to = recipient) =>
    service.accounts.mail.enqueue(service.context.database.db, { template: 'password-changed', recipient: to });
  const waiting = (service: Service) => service.context.database.db.selectFrom('queued_jobs').selectAll().execute();

  it('is sent as text and HTML from the configured sender, and is not stored after that', async () => {
    const server = await startMailServer();
    const service = await start({ env: { SMTP_URL: server.url, MAIL_FROM: 'The House <house@example.com>' } });
    await write(service);
    await service.accounts.mail.settle();
    assert.equal(server.mails.length, 1);
    const [mail] = server.mails;
    assert.deepEqual(mail?.from, { name: 'The House', address: 'house@example.com' });
    assert.deepEqual(
      mail?.to?.map(({ address }) => address),
      [recipient],
    );
    assert.equal(mail?.subject, 'Your password was changed');
    assert.match(mail?.text ?? '', /was changed on \d{1,2} \w+ \d{4} at \d\d:\d\d UTC/);
    assert.match(mail?.html ?? '', /<a class="fill" href="http:\/\/127\.0\.0\.1:\d+\/password\/forgot"/);
    assert.doesNotMatch(mail?.text ?? '', /Subject:|[{}<]/);
    assert.deepEqual(await waiting(service), []);
  });

  it('is not lost if the server refuses, hangs or is down, and is retried after growing pauses', async () => {
    const server = await startMailServer();
    const service = await start({ env: { SMTP_URL: `${server.url}&socketTimeout=2000` } });
    const { mail } = service.accounts;
    server.mood = 'refuse';
    await write(service);
    await mail.settle();
    let [row] = await waiting(service);
    assert.equal(row?.attempts, 1);
    assert.match(row?.last_error ?? '', /not now/);
    assert.equal(row?.leased_until, null);
    await mail.settle();
    assert.equal(server.attempts, 1, 'no retry before its time');

    server.mood = 'hang';
    service.advance(16_000);
    await mail.settle();
    [row] = await waiting(service);
    assert.equal(row?.attempts, 2);
    assert.equal(server.attempts, 2);

    const first = row?.next_attempt_at ?? 0;
    assert.ok(first - service.context.now() > 20_000, 'each pause is longer');
    server.mood = 'accept';
    service.advance(31_000);
    await mail.settle();
    assert.equal(server.mails.length, 1);
    assert.deepEqual(await waiting(service), []);
  });

  it('is stored while no server is reachable, and requests are still answered', async () => {
    const server = await startMailServer();
    await server.close();
    const service = await start({ env: { SMTP_URL: server.url } });
    const response = await fetch(`${service.url}/v1/register`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ email: recipient, password: 'a fine long secret' }),
    });
    assert.equal(response.status, 201);
    await service.accounts.mail.settle();
    const [row] = await waiting(service);
    assert.match(row?.data ?? '', /"template":"confirm-email"/);
    assert.doesNotMatch(JSON.stringify(row), /[\w-]{43}/, 'the queue contains no usable link');
  });

  it('is sent once, even if several instances process the queue at the same time', async () => {
    const server = await startMailServer();
    const database = await createDatabase();
    // A busy machine may greet slowly. A mail that is retried later would count as missing here.
    const env = { SMTP_URL: server.url.replaceAll('Timeout=400', 'Timeout=60000') };
    const one = await start({ env, database });
    // An SQLite file has one service at a time. There, two passes of one service compete.
    const two = engine === 'postgres' ? await start({ env, database }) : one;
    for (let i = 0; i < 20; i++) await write(one, `user${i}@example.com`);
    // On a busy machine, an attempt may time out. Then it is repeated.
    for (let pass = 0; pass < 5 && server.mails.length < 20; pass++) {
      await Promise.all([one.accounts.mail.settle(), two.accounts.mail.settle(), one.accounts.mail.settle()]);
      for (const service of new Set([one, two])) service.advance(120_000);
    }
    const recipients = server.mails.map(({ to }) => to?.[0]?.address);
    assert.equal(recipients.length, 20);
    assert.equal(new Set(recipients).size, 20);
  });

  it('is marked as failed after the last attempt, and stays in the queue', async () => {
    const server = await startMailServer();
    const service = await start({ env: { SMTP_URL: server.url } });
    const { db } = service.context.database;
    server.mood = 'refuse';
    await write(service);
    await service.accounts.mail.settle();
    await db
      .updateTable('queued_jobs')
      .set({ attempts: defaultAttempts - 1 })
      .execute();
    service.advance(60 * 60_000);
    await service.accounts.mail.settle();
    const [row] = await waiting(service);
    assert.ok(row?.failed_at, 'the mail stays as failed');
    server.mood = 'accept';
    service.advance(60 * 60_000);
    await service.accounts.mail.settle();
    assert.equal(server.mails.length, 0, 'a failed mail is not retried automatically');
  });

  it('is written to a file that only its owner can read, if no server is configured', async () => {
    const service = await start();
    await write(service);
    await service.accounts.mail.settle();
    const folder = join(service.database.dir, 'mail');
    const [file] = readdirSync(folder);
    assert.match(file ?? '', /\.eml$/);
    assert.equal(statSync(join(folder, file as string)).mode & 0o777, 0o600);
    const mail = await PostalMime.parse(readFileSync(join(folder, file as string)));
    assert.equal(mail.subject, 'Your password was changed');
  });

  it('uses the templates of the operator, and escapes values in HTML', async () => {
    const database = await createDatabase();
    const folder = join(database.dir, 'views', 'mail');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'password-changed.txt'), 'Subject: Hey & ho\n\nOur own words: {{ link }} {{ "<&>" }}\n');
    writeFileSync(join(folder, 'password-changed.html'), '<p>Own {{ "<&>" }}</p>');
    const server = await startMailServer();
    const service = await start({ env: { SMTP_URL: server.url }, database });
    await write(service);
    await service.accounts.mail.settle();
    const [mail] = server.mails;
    assert.equal(mail?.subject, 'Hey & ho');
    assert.match(mail?.text ?? '', /^Our own words: http.*<&>/);
    assert.match(mail?.html ?? '', /<p>Own &lt;&amp;&gt;<\/p>/);
  });

  for (const [file, text, reason] of [
    ['password-changed.txt', 'No subject here\n', /password-changed\.txt must begin with a line "Subject: /],
    ['password-changed.html', '{{ lnk }}', /^The mail template password-changed\.html: undefined variable: lnk/],
  ] as const)
    it(`stays in the queue while its template is broken: ${file}`, async () => {
      const database = await createDatabase();
      const folder = join(database.dir, 'views', 'mail');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, file), text);
      const service = await start({ database });
      await write(service);
      await service.accounts.mail.settle();
      assert.match((await waiting(service))[0]?.last_error ?? '', reason);
    });
});
