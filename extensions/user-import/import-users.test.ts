import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, it, mock } from 'node:test';
import { WorkerThread } from '../../src/platform/worker-thread.ts';
import { onBothEngines } from '../../test/harness/engines.ts';
import { logIn } from '../../test/harness/request.ts';
import { type Service, services } from '../../test/harness/service.ts';
import { type ImportProgress, importUsers } from './import-users.ts';

const bcrypt = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
const django = 'pbkdf2_sha256$600000$seasalt$OAXyhAQ/4ZDA9V5RMExt3C1OwQdUpLZ99vm1McFlLRA=';

onBothEngines('Importing users', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env: { ROLES: 'editor' } });
  });

  let files = 0;
  const file = (text: string, extension = 'csv'): string => {
    const path = join(service.database.dir, `import-${files++}.${extension}`);
    writeFileSync(path, text);
    return path;
  };
  const run = async (path: string) => {
    const refused: string[] = [];
    const progress: ImportProgress[] = [];
    const counts = await importUsers(service.context, path, {
      refused: (line, reasons) => refused.push(`${line}: ${reasons.join('; ')}`),
      progress: (step) => progress.push(step),
    });
    return { counts, refused, progress };
  };
  const find = (email: string) =>
    service.context.database.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

  it('reads CSV with quotes, line breaks and a byte order mark, and the users can sign in', async () => {
    const { counts, refused } = await run(
      file(
        `\ufeffemail,name,password_hash,email_confirmed,roles,created_at,username\r\n` +
          `Ada@Example.com,"Ada ""the first"" Lovelace",${bcrypt},true,editor,2020-05-17T08:30:00Z,ada.l\r\n` +
          `grace@example.com,"Hopper, Grace",${django},0,"editor admin",2021-01-02 03:04:05,\r\n`,
      ),
    );
    assert.deepEqual(refused, []);
    assert.deepEqual(counts, { read: 2, imported: 2, present: 0, refused: 0 });
    const ada = await find('Ada@example.com');
    assert.equal(ada?.name, 'Ada "the first" Lovelace');
    assert.equal(ada?.username, 'ada.l');
    assert.equal(ada?.email_confirmed, 1);
    assert.equal(ada?.created_at, Date.UTC(2020, 4, 17, 8, 30));
    assert.equal(ada?.password_hash, bcrypt);
    const grace = await find('grace@example.com');
    assert.equal(grace?.roles, '["editor","admin"]');
    assert.equal(grace?.created_at, Date.UTC(2021, 0, 2, 3, 4, 5));

    assert.ok(await logIn(service, 'ada@example.com', 'U*U'));
    assert.match((await find('Ada@example.com'))?.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.ok(await logIn(service, 'ada@example.com', 'U*U'), 'the sign-in replaced the hash');
    assert.ok(await logIn(service, 'grace@example.com', 'lètmein'));
    await assert.rejects(logIn(service, 'grace@example.com', 'letmein'));
  });

  it('reads JSON lines', async () => {
    const lines = [
      { email: 'json@example.com', password_hash: bcrypt, roles: ['editor'], email_confirmed: true },
      { phone: '+1 213 373 4253', password_hash: bcrypt, email_confirmed: true, name: null },
    ];
    const { counts } = await run(file(lines.map((line) => JSON.stringify(line)).join('\n\n'), 'jsonl'));
    assert.deepEqual(counts, { read: 2, imported: 2, present: 0, refused: 0 });
    const { db } = service.context.database;
    const byPhone = await db.selectFrom('users').selectAll().where('phone', '=', '+12133734253').executeTakeFirst();
    assert.equal(byPhone?.email_confirmed, 0, 'a user without an email has nothing to confirm');
  });

  it('reports each refused line with the reason, and imports the rest', async () => {
    const { counts, refused } = await run(
      file(
        [
          'email,username,phone,password_hash,roles,email_confirmed,created_at',
          `fine@example.com,,,${bcrypt},,,`,
          `nonsense,,,${bcrypt},,,`,
          `plain@example.com,,,secret,,,`,
          `,,,${bcrypt},,,`,
          `role@example.com,,,${bcrypt},owner,,`,
          `flag@example.com,1x,12,${bcrypt},,maybe,tomorrow`,
          `FINE@example.com,other,,${bcrypt},,,`,
          `last@example.com,,,${bcrypt},,,`,
        ].join('\n'),
      ),
    );
    assert.deepEqual(counts, { read: 8, imported: 2, present: 0, refused: 6 });
    assert.deepEqual(
      refused.map((line) => line.slice(0, 34)),
      [
        '3: email must be an email address ',
        '4: password_hash has an unknown fo',
        '5: it has neither email nor userna',
        '6: there is no role owner (setting',
        '7: username must be 3 to 32 letter',
        '8: another user has the email FINE',
      ],
    );
    assert.match(refused[4] ?? '', /username.*phone.*email_confirmed.*created_at/);
    assert.ok(await find('last@example.com'));
  });

  it('can be repeated after an interruption: existing users are skipped and not changed', async () => {
    const lines = Array.from({ length: 1200 }, (_, i) => `bulk${i}@example.com,bulk${i},${bcrypt}`);
    const header = 'email,username,password_hash';
    const half = await run(file([header, ...lines.slice(0, 700)].join('\n')));
    assert.equal(half.counts.imported, 700);
    await logIn(service, 'bulk3@example.com', 'U*U');
    const { counts, refused, progress } = await run(file([header, ...lines].join('\n')));
    assert.deepEqual(refused, []);
    assert.deepEqual(counts, { read: 1200, imported: 500, present: 700, refused: 0 });
    assert.ok(progress.length >= 3);
    assert.equal(progress.at(-1)?.bytes, progress.at(-1)?.totalBytes);
    assert.match(
      (await find('bulk3@example.com'))?.password_hash ?? '',
      /^\$argon2id/,
      'the second import does not change the user',
    );
  });

  it('imports all users before a line that is not valid CSV, and records the import', async () => {
    const lines = Array.from({ length: 1700 }, (_, i) => `partial${i}@example.com,${bcrypt}`);
    const rest = [`"open"@example.com,${bcrypt}`, `after@example.com,${bcrypt}`];
    const path = file(['email,password_hash', ...lines, ...rest].join('\n'));
    await assert.rejects(run(path), { name: 'OperatorError', message: /not valid CSV/ });
    assert.ok(await find('partial1699@example.com'));
    assert.equal(await find('after@example.com'), undefined);
    const { db } = service.context.database;
    const events = await db.selectFrom('events').select('data').where('type', '=', 'users.imported').execute();
    const counts = { read: 1700, imported: 1700, present: 0, refused: 0 };
    assert.deepEqual(
      events.map(({ data }) => JSON.parse(data ?? '{}')).filter(({ interrupted }) => interrupted !== undefined),
      [{ ...counts, interrupted: true }],
    );
  });

  it('refuses a file in another format, and gives the reason', async () => {
    for (const [path, message] of [
      [file('email,password\na@example.com,x'), /unknown columns: password\. The first line names/],
      [file('email,name\na@example.com,x'), /password_hash is missing/],
      [file('x', 'xlsx'), /must end in \.csv/],
      [join(service.database.dir, 'missing.csv'), /could not be read/],
      [file(`email,password_hash\n"open@example.com,${bcrypt}`), /not valid CSV/],
    ] as const) {
      await assert.rejects(run(path), { name: 'OperatorError', message });
    }
    const { refused } = await run(file('{"email":\n[]\n7\n{"email":"a@example.com","admin":true}', 'jsonl'));
    assert.equal(refused.length, 4);
  });

  it('imports thousands of users without hashing passwords', async () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => `many${i}@example.com,${bcrypt}`);
    const path = file(['email,password_hash', ...lines].join('\n'));
    const requests = mock.method(WorkerThread.prototype, 'request');
    assert.equal((await run(path)).counts.imported, 10_000);
    assert.equal(requests.mock.callCount(), 0);
    requests.mock.restore();
  });
});
