import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import pino from 'pino';
import { Webhook } from 'standardwebhooks';
import { LegacyKeys } from '../../extensions/passport/legacy-tokens/legacy-keys.ts';
import { sealedColumns } from '../../src/database/keys/sealed-columns.ts';
import { createSealing } from '../../src/database/keys/sealing.ts';
import { startReceiver } from '../changes/receiver.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { addApp, halfLogin, tryLogin } from '../harness/factors.ts';
import { type Person, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const [first, second] = ['the first key of this service', 'the second key of this service'];
const RESOURCES_DIR = new URL('../changes/resources', import.meta.url).pathname;
const before = { RESOURCES_DIR, ENCRYPTION_KEY: first };
const during = { RESOURCES_DIR, ENCRYPTION_KEY: second, PREVIOUS_ENCRYPTION_KEY: first };
const after = { RESOURCES_DIR, ENCRYPTION_KEY: second };
const silent = pino({ level: 'silent' });

onBothEngines('A service whose encryption secret changed', (engine) => {
  const start = services(engine);
  const create = databases(engine);
  const run = <T>({ context }: Service, statement: RawBuilder<T>) => statement.execute(context.database.db);
  const logInAsAdmin = (on: Service) => logIn(on, 'admin@example.com', 'correct horse battery');
  const createWebhook = async (on: Service, token: string, url: string) =>
    (
      await request<{ data: { id: string; secret: string } }>(on, '/v1/webhooks', {
        json: { url, resources: ['notes'] },
        token,
      })
    ).body.data;
  const replaceSecret = (on: Service, id: string, token: string) =>
    request<{ data: { secret: string } }>(on, `/v1/webhooks/${id}/secrets`, { json: {}, token });
  const writeNote = (on: Service, token: string) => request(on, '/v1/notes', { json: { title: 'x' }, token });
  const logInWithCode = async (on: Service, person: Pick<Person, 'email'>, code: string) =>
    tryLogin(on, { mfa_token: (await halfLogin(on, person)).mfa_token, code });

  it('needs the previous secret for one start only', async () => {
    const database = await create();
    const old = await start({ database, env: before });
    const receiver = await startReceiver();
    const token = await logInAsAdmin(old);
    const { id } = await createWebhook(old, token, receiver.url);
    const { secret } = (await replaceSecret(old, id, token)).body.data;
    const ada = await registerUser(old);
    const { app } = await addApp(old, ada);
    const { db } = old.context.database;
    await old.queue.enqueue(db, { name: 'of nobody', data: { pin: 'hunter2' }, sealed: true });
    await db.transaction().execute((tx) => new LegacyKeys(old.context).store(tx, 'app', Buffer.from('legacy')));
    await old.close();

    await (await start({ database, env: during })).close();
    const service = await start({ database, env: after });
    const sealing = createSealing(service.context.config);
    for (const { table, column, label, labelColumn, mark } of sealedColumns) {
      const { rows } = await run(
        service,
        sql<{ value: string; named: string }>`select ${sql.ref(column)} as value, ${sql.ref(labelColumn)} as named
          from ${sql.table(table)} where ${sql.ref(column)} like ${`${mark}%`}`,
      );
      assert.ok(rows.length > 0, `${table}.${column}`);
      for (const { value, named } of rows)
        assert.ok(sealing.open(value.slice(mark.length), label(named)).isCurrent, `${table}.${column}`);
    }
    assert.equal((await logInWithCode(service, ada, app.next())).status, 200);
    await writeNote(service, await logInAsAdmin(service));
    const [delivery] = await receiver.until(1);
    new Webhook(secret).verify(delivery?.text ?? '', delivery?.headers as Record<string, string>);
  });

  it('records a delivery of a webhook as failed if its secret cannot be decrypted, until the secret is replaced', async () => {
    const service = await start({ env: after });
    const receiver = await startReceiver();
    const token = await logInAsAdmin(service);
    const { id } = await createWebhook(service, token, receiver.url);
    const unreadable = createSealing({ ...service.context.config, encryptionKey: first }).seal(Buffer.from('x'), 'y');
    await run(service, sql`update webhooks set sealed_secret = ${unreadable}`);
    await writeNote(service, token);
    const waiting = sql<{ error: string | null; leased_until: number | null }>`
      select error, leased_until from webhook_deliveries where error is not null`;
    let delivery: { error: string | null; leased_until: number | null } | undefined;
    for (; !delivery; [delivery] = (await run(service, waiting)).rows) await nextTick();
    assert.match(delivery.error ?? '', /cannot decrypt the secret of this webhook: replace it/);
    assert.equal(delivery.leased_until, null);
    assert.deepEqual(receiver.received, []);
    const { secret } = (await replaceSecret(service, id, token)).body.data;
    await run(service, sql`update webhook_deliveries set next_attempt_at = 0`);
    const [received] = await receiver.until(1);
    new Webhook(secret).verify(received?.text ?? '', received?.headers as Record<string, string>);
  });

  it('responds with 503 to a code if the secret of the app cannot be decrypted', async () => {
    const service = await start({ env: after, log: silent });
    const ada = await registerUser(service);
    const { app, codes } = await addApp(service, ada);
    const pending = await request<{ data: { id: string } }>(service, '/v1/authenticators', {
      json: {},
      token: ada.token,
    });
    const unreadable = createSealing({ ...service.context.config, encryptionKey: first }).seal(Buffer.from('x'), 'y');
    await run(service, sql`update authenticators set sealed_secret = ${unreadable}`);
    const login = await logInWithCode(service, ada, app.next());
    assert.deepEqual([login.status, login.body.error], [503, 'temporarily_unavailable'], login.text);
    const path = `/v1/authenticators/${pending.body.data.id}/confirmations`;
    const confirmation = await request(service, path, { json: { code: '123456' }, token: ada.token });
    assert.equal(confirmation.status, 503, confirmation.text);
    assert.equal((await logInWithCode(service, ada, codes[0] as string)).status, 200, 'other factors still work');
  });

  it('responds with 401 to a change ticket that cannot be decrypted', async () => {
    const service = await start({ env: after });
    const token = await logInAsAdmin(service);
    const issued = await request<{ data: { ticket: string } }>(service, '/v1/change-tickets', {
      method: 'POST',
      token,
    });
    const unreadable = createSealing({ ...service.context.config, encryptionKey: first }).seal(Buffer.from('x'), 'y');
    await run(service, sql`update change_tickets set sealed_token = ${unreadable}`);
    const path = `/v1/changes?resources=notes&ticket=${issued.body.data.ticket}`;
    const { status, body } = await request<{ code: string }>(service, path, { token: null });
    assert.deepEqual([status, body.code], [401, 'token_malformed']);
  });
});
