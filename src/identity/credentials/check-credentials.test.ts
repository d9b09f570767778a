import assert from 'node:assert/strict';
import { before, it, mock } from 'node:test';
import { databases, onBothEngines } from '../../../test/harness/engines.ts';
import { type Service, services } from '../../../test/harness/service.ts';
import { OAuthError, Problem, unavailable } from '../../platform/errors.ts';
import { WorkerThread } from '../../platform/worker-thread.ts';
import { newUserRow } from '../accounts/user.ts';
import { findUser, insertUser, type UserRow } from '../accounts/user-store.ts';
import { readArgon2 } from '../passwords/password-hash.ts';
import { createPasswords, type Passwords } from '../passwords/passwords.ts';
import { checkCredentials } from './check-credentials.ts';

const password = 'correct horse battery';
const minute = 60_000;

onBothEngines('Checking credentials', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  let service: Service;
  let passwords: Passwords;
  let hash: string;
  before(async () => {
    service = await start({ env: { LOGIN_ATTRIBUTES: 'email,username,phone' } });
    passwords = createPasswords(service.context);
    hash = await passwords.hash(password);
  });

  let people = 0;
  async function addUser(changes: Partial<UserRow> = {}, on = service): Promise<UserRow> {
    const n = people++;
    const now = on.context.now();
    const profile = { email: `user${n}@example.com`, username: `user${n}`, phone: null, name: null };
    const user = newUserRow({ profile, passwordHash: hash, confirmed: false, roles: [], now });
    const row: UserRow = { ...user, ...changes };
    await insertUser(on.context.database.db, row);
    return row;
  }
  let addresses = 0;
  const someAddress = () => `10.0.${Math.trunc(++addresses / 250)}.${addresses % 250}`;
  const check = (login: string, tried: string, address = someAddress(), on = service) =>
    checkCredentials(
      on.context,
      { passwords, keys: on.keys },
      {
        login,
        password: tried,
        source: { address, userAgent: null, requestId: null },
      },
    );
  const outcome = (attempt: Promise<unknown>): Promise<string> =>
    attempt.then(
      () => 'accepted',
      (error) =>
        error instanceof OAuthError ? error.error : error instanceof Problem ? String(error.status) : String(error),
    );
  const refusalOf = async (attempt: Promise<unknown>): Promise<OAuthError> => {
    const error = await attempt.then(
      () => assert.fail('accepted'),
      (error: unknown) => error,
    );
    assert.ok(error instanceof OAuthError || error instanceof Problem);
    return error as OAuthError;
  };
  const countsOf = async (of: string) =>
    (
      await service.context.database.db.selectFrom('throttles').select('count').where('key', 'like', `%${of}`).execute()
    ).map(({ count }) => count);

  it('finds the user by each enabled identifier, in any spelling', async () => {
    const user = await addUser({ phone: '+12133734253' });
    for (const login of [user.email, user.email?.toUpperCase(), user.username?.toUpperCase(), '+1 (213) 373-4253']) {
      assert.equal((await check(login as string, password)).id, user.id);
    }
  });

  it('responds the same to an unknown user and a wrong password', async () => {
    const user = await addUser();
    const errors: OAuthError[] = [];
    for (const login of [user.email as string, 'nobody@example.com', 'no identifier at all', '']) {
      errors.push(await refusalOf(check(login, 'wrong password')));
    }
    for (const error of errors) {
      assert.ok(error instanceof OAuthError);
      assert.deepEqual([error.error, error.status, error.message], ['invalid_grant', 400, errors[0]?.message]);
    }
  });

  it('checks only ten of a hundred concurrent guesses, and refuses the others', async () => {
    const user = await addUser();
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => outcome(check(user.email as string, 'wrong password'))),
    );
    assert.equal(outcomes.filter((result) => result === 'invalid_grant').length, 10);
    assert.equal(outcomes.filter((result) => result === '429').length, 90);
    assert.equal(await outcome(check(user.email as string, password)), '429');
  });

  it('refuses even the right password after ten failures, until Retry-After has passed', async () => {
    const own = await start();
    const user = await addUser({}, own);
    for (let i = 0; i < 10; i++)
      assert.equal(await outcome(check(user.email as string, 'wrong', someAddress(), own)), 'invalid_grant');
    const error = await refusalOf(check(user.email as string, password, someAddress(), own));
    assert.equal(error.status, 429);
    const seconds = Number(error.headers['Retry-After']);
    assert.ok(seconds > 14 * 60 && seconds <= 15 * 60, String(seconds));
    own.advance(seconds * 1000);
    assert.equal(await outcome(check(user.email as string, password, someAddress(), own)), 'accepted');
  });

  it('keeps the counts after a restart, and shares them between instances', async () => {
    const database = await createDatabase();
    const one = await start({ database });
    const user = await addUser({}, one);
    for (let i = 0; i < 5; i++) await outcome(check(user.email as string, 'wrong', someAddress(), one));
    // An SQLite file has one service at a time. PostgreSQL has many.
    if (engine === 'sqlite') await one.close();
    const two = await start({ database });
    for (let i = 0; i < 5; i++) await outcome(check(user.email as string, 'wrong', someAddress(), two));
    assert.equal(await outcome(check(user.email as string, password, someAddress(), two)), '429');
    if (engine === 'postgres')
      assert.equal(await outcome(check(user.email as string, password, someAddress(), one)), '429');
  });

  it('counts unknown logins like known ones, in any spelling', async () => {
    for (let i = 0; i < 10; i++)
      assert.equal(await outcome(check(i % 2 ? 'Ghost@example.com' : 'ghost@example.com', 'wrong')), 'invalid_grant');
    assert.equal(await outcome(check('ghost@example.com', 'wrong')), '429');
  });

  it('checks ten guesses for all identifiers of a user together, and does not reveal that they belong to one user', async () => {
    const user = await addUser();
    const guess = (n: number) => check((n % 2 ? user.email : user.username) as string, 'wrong');
    for (let i = 0; i < 10; i++) assert.equal(await outcome(guess(i)), 'invalid_grant');
    // None of these is accepted, and each looks like a wrong password.
    for (let i = 0; i < 10; i++) {
      const login = (i % 2 ? user.email : user.username) as string;
      assert.equal(await outcome(check(login, password)), 'invalid_grant');
    }
    assert.equal(await outcome(check(user.email as string, password)), '429');
    assert.equal(await outcome(check(user.username as string, password)), '429');
  });

  it('does not reveal at other identifiers that one identifier is locked', async () => {
    const user = await addUser();
    for (let i = 0; i < 11; i++) await outcome(check(user.email as string, 'wrong'));
    const [locked, other, stranger] = await Promise.all(
      [user.email, user.username, 'stranger.to.all'].map((login) => outcome(check(login as string, 'wrong'))),
    );
    assert.deepEqual([locked, other, stranger], ['429', 'invalid_grant', 'invalid_grant']);
  });

  it('refuses an address after a hundred failures for many accounts, and no other address', async () => {
    const address = someAddress();
    const outcomes = [];
    for (let i = 0; i < 100; i++) outcomes.push(outcome(check(`spray${i}@example.com`, 'wrong', address)));
    assert.deepEqual(new Set(await Promise.all(outcomes)), new Set(['invalid_grant']));
    const user = await addUser();
    assert.equal(await outcome(check(user.email as string, password, address)), '429');
    assert.equal(await outcome(check(user.email as string, password)), 'accepted');
  });

  it('resets the count of an account after the right password', async () => {
    const user = await addUser();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 9; i++) assert.equal(await outcome(check(user.email as string, 'wrong')), 'invalid_grant');
      assert.equal(await outcome(check(user.email as string, password)), 'accepted');
    }
    assert.deepEqual(await countsOf(user.id), [0]);
  });

  it('does not count concurrent right passwords as guesses', async () => {
    const user = await addUser();
    const address = someAddress();
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () => outcome(check(user.email as string, password, address))),
    );
    assert.deepEqual(new Set(outcomes), new Set(['accepted']));
    assert.deepEqual(await countsOf(address), [0]);
  });

  it('replaces an outdated hash at the next sign-in, and changes nothing else of the user', async () => {
    const old = '$argon2id$v=19$m=4096,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$XqjfH/mzKPaYmJmZ4oFpvKbGt0kQpTJ4SYOZ9BzzN1M';
    assert.equal(passwords.needsRehash(old), true);
    const { argon2Sync, randomBytes } = await import('node:crypto');
    const nonce = randomBytes(16);
    const tag = argon2Sync('argon2id', {
      message: password,
      nonce,
      memory: 4096,
      passes: 3,
      parallelism: 1,
      tagLength: 32,
    });
    const bare = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
    const user = await addUser({ password_hash: `$argon2id$v=19$m=4096,t=3,p=1$${bare(nonce)}$${bare(tag)}` });
    assert.equal(await outcome(check(user.email as string, password)), 'accepted');
    const after = await findUser(service.context.database.db, user.id);
    assert.match(after?.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.deepEqual({ ...after, password_hash: '' }, { ...user, password_hash: '' });
    assert.equal(await outcome(check(user.email as string, password)), 'accepted');
  });

  it('counts no failure and replaces no hash while the hashing queue is full', async () => {
    const user = await addUser();
    const busy = { ...passwords, verify: async () => Promise.reject(unavailable('busy', 2)) };
    for (let i = 0; i < 12; i++) {
      const attempt = checkCredentials(
        service.context,
        { passwords: busy, keys: service.keys },
        {
          login: user.email as string,
          password,
          source: { address: '10.7.7.7', userAgent: null, requestId: null },
        },
      );
      assert.equal(await outcome(attempt), '503');
    }
    const noHashing = {
      ...passwords,
      needsRehash: () => true,
      rehash: async () => Promise.reject(unavailable('busy', 2)),
    };
    const attempt = checkCredentials(
      service.context,
      { passwords: noHashing, keys: service.keys },
      {
        login: user.email as string,
        password,
        source: { address: '10.7.7.7', userAgent: null, requestId: null },
      },
    );
    assert.equal(await outcome(attempt), 'accepted');
    assert.equal((await findUser(service.context.database.db, user.id))?.password_hash, hash);
  });

  it('records exceeded limits of one window once in the audit trail', async () => {
    const user = await addUser();
    for (let i = 0; i < 14; i++) await outcome(check(user.email as string, 'wrong'));
    const { db } = service.context.database;
    const events = await db.selectFrom('events').select('type').where('user_id', '=', user.id).orderBy('id').execute();
    assert.deepEqual(
      events.map(({ type }) => type),
      [...Array(10).fill('login.failed'), 'login.throttled'],
    );
  });

  it('tells an unconfirmed user to confirm the email only after the right password', async () => {
    const own = await start({ env: { REQUIRE_EMAIL_CONFIRMATION: 'true' } });
    const user = await addUser({}, own);
    const problem = await refusalOf(check(user.email as string, 'wrong', someAddress(), own));
    const right = await refusalOf(check(user.email as string, password, someAddress(), own));
    assert.equal(right.error, 'invalid_grant');
    assert.match(right.message, /confirm/);
    assert.doesNotMatch(problem.message, /confirm/);
    const confirmed = await addUser({ email_confirmed: 1 }, own);
    assert.equal(await outcome(check(confirmed.email as string, password, someAddress(), own)), 'accepted');
  });

  it('does the same hashing for an unknown user as for a wrong password', async () => {
    const user = await addUser();
    const requests = mock.method(WorkerThread.prototype, 'request');
    const work = async (login: string) => {
      requests.mock.resetCalls();
      assert.equal(await outcome(check(login, 'wrong password')), 'invalid_grant');
      return requests.mock.calls.map((call) => {
        const { kind, hash } = call.arguments[0] as { kind: string; hash: string };
        const { salt, tag, ...cost } = readArgon2(hash) ?? assert.fail(hash);
        return { kind, ...cost, salt: salt.length, tag: tag.length };
      });
    };
    const known = await work(user.email as string);
    assert.equal(known.length, 1);
    assert.deepEqual(await work('nobody@example.com'), known);
    requests.mock.restore();
  });

  it('forgets counts after their window', async () => {
    const own = await start();
    for (let i = 0; i < 9; i++) await outcome(check('late@example.com', 'wrong', '10.9.9.9', own));
    own.advance(16 * minute);
    for (let i = 0; i < 10; i++)
      assert.equal(await outcome(check('late@example.com', 'wrong', '10.9.9.9', own)), 'invalid_grant');
  });
});
