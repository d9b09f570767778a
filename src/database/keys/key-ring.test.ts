import assert from 'node:assert/strict';
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { publishLeadMs } from '../../../extensions/admin-commands/replace-keys.ts';
import { rotateKeys } from '../../../extensions/admin-commands/revoke-everything.ts';
import { contexts } from '../../../test/harness/contexts.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { systemSource as source } from '../../http/request-source.ts';
import { OperatorError } from '../../platform/errors.ts';
import { openKeyRing } from './key-ring.ts';
import { createSealing } from './sealing.ts';

const typ = 'at+jwt';

/** Seals a value as version 0.1.0 did. */
function quicklySealed(secret: string, content: Buffer, label: string): string {
  const iv = randomBytes(12);
  const key = Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'sealed keys', 32));
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(label));
  const body = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
}

onBothEngines('Key ring', (engine) => {
  const make = contexts(engine);

  for (const algorithm of ['ES256', 'EdDSA', 'RS256']) {
    it(`signs ${algorithm} tokens that a JWT library verifies by the published key set`, async () => {
      const context = await make({ env: { SIGNING_ALGORITHM: algorithm } });
      const keys = await openKeyRing(context);
      const token = keys.signingKeys.sign({ sub: 'ann' }, { typ });
      const { payload, protectedHeader } = await jwtVerify(
        token,
        createLocalJWKSet(keys.signingKeys.jwks() as unknown as JSONWebKeySet),
        { typ },
      );
      assert.equal(payload.sub, 'ann');
      assert.equal(protectedHeader.alg, algorithm);
      assert.deepEqual(keys.signingKeys.verify(token, { typ }), { sub: 'ann' });
      assert.ok(!JSON.stringify(keys.signingKeys.jwks()).includes('"d"'));
    });
  }

  it('refuses tokens with another key, no algorithm, another algorithm, another type or changed claims', async () => {
    const context = await make();
    const keys = await openKeyRing(context);
    const [header, body, signature] = keys.signingKeys.sign({ sub: 'ann' }, { typ }).split('.') as [
      string,
      string,
      string,
    ];
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const kid = keys.signingKeys.list()[0]?.id;
    const foreign = await openKeyRing(await make());
    assert.equal(keys.signingKeys.verify(foreign.signingKeys.sign({ sub: 'ann' }, { typ }), { typ }), 'unknown-key');
    for (const token of [
      `${part({ alg: 'none', typ, kid })}.${body}.`,
      `${part({ alg: 'none', typ, kid })}.${body}.${signature}`,
      `${part({ alg: 'HS256', typ, kid })}.${body}.${signature}`,
      `${header}.${part({ sub: 'bob' })}.${signature}`,
      `${header}.${body}.${signature.slice(0, -4)}AAAA`,
      `${header}.${body}`,
      `${header}.${body}.${signature}=`,
      'a.b.c',
      '',
      keys.signingKeys.sign({ sub: 'ann' }, { typ: 'JWT' }),
    ])
      assert.equal(keys.signingKeys.verify(token, { typ }), 'invalid', token);
  });

  it('publishes a new key, then signs with it, then retires the old one', async () => {
    const context = await make({ env: { PERSONAL_TOKEN_TTL: '7200', ACCESS_TOKEN_TTL: '3600' } });
    const keys = await openKeyRing(context);
    const before = keys.signingKeys.sign({ n: 1 }, { typ });
    context.advance(1000);
    const { id } = await rotateKeys(context, keys, { source });
    assert.deepEqual(
      keys.signingKeys.list().map(({ state }) => state),
      ['published', 'published', 'signing', 'signing'],
    );
    const meanwhile = keys.signingKeys.sign({ n: 2 }, { typ });
    context.advance(publishLeadMs);
    const later = keys.signingKeys.sign({ n: 3 }, { typ });
    assert.equal(JSON.parse(Buffer.from(later.split('.')[0] as string, 'base64url').toString()).kid, id);
    for (const token of [before, meanwhile, later])
      assert.equal(typeof keys.signingKeys.verify(token, { typ }), 'object');
    context.advance(7_200_000);
    assert.equal(typeof keys.signingKeys.verify(meanwhile, { typ }), 'object');
    context.advance(120_000);
    assert.equal(keys.signingKeys.verify(before, { typ }), 'unknown-key');
    assert.equal(typeof keys.signingKeys.verify(later, { typ }), 'object');
    assert.equal(keys.signingKeys.jwks().keys.length, 2);
  });

  it('removes a compromised key immediately', async () => {
    const context = await make();
    const keys = await openKeyRing(context);
    const stolen = keys.signingKeys.sign({ n: 1 }, { typ });
    context.advance(1);
    await rotateKeys(context, keys, { source, compromised: true });
    assert.equal(keys.signingKeys.verify(stolen, { typ }), 'unknown-key');
    assert.equal(typeof keys.signingKeys.verify(keys.signingKeys.sign({ n: 2 }, { typ }), { typ }), 'object');
  });

  it('reports a change of keys on this and on other instances, and only then', async () => {
    const context = await make();
    const [here, there] = [await openKeyRing(context), await openKeyRing(context)];
    const notified: string[] = [];
    here.onChange(() => notified.push('here'));
    there.onChange(() => notified.push('there'));
    await Promise.all([here.reload(), there.reload()]);
    assert.deepEqual(notified, []);
    context.advance(1);
    await rotateKeys(context, here, { source, compromised: true });
    await there.reload();
    assert.deepEqual([...new Set(notified)].sort(), ['here', 'there']);
  });

  it('creates MACs that are valid for one purpose, and the same ones after a restart', async () => {
    const context = await make();
    const keys = await openKeyRing(context);
    const mac = keys.macKeys.mac('refresh', 'data');
    const again = await openKeyRing(context);
    assert.ok(again.macKeys.matches('refresh', 'data', mac));
    assert.ok(!again.macKeys.matches('secret', 'data', mac));
    assert.ok(!again.macKeys.matches('refresh', 'other', mac));
    assert.ok(!again.macKeys.matches('refresh', 'data', ''));
    assert.ok(!again.macKeys.matches('refresh', 'data', 'é'.repeat(21)));
  });

  it('rotates MAC keys: new MACs use the new key, and old MACs stay valid for their lifetime', async () => {
    const env = { REFRESH_TOKEN_TTL: '86400' };
    const context = await make({ env });
    const keys = await openKeyRing(context);
    const old = keys.macKeys.mac('refresh', 'data');
    const oldId = keys.macKeys.currentId();
    context.advance(1);
    await rotateKeys(context, keys, { source });
    assert.equal(keys.macKeys.mac('refresh', 'data'), old, 'every instance must learn the new key before one uses it');
    context.advance(publishLeadMs);
    const current = keys.macKeys.mac('refresh', 'data');
    assert.notEqual(current, old);
    assert.deepEqual(keys.macKeys.macs('refresh', 'data'), [current, old]);
    context.advance(365 * 86_400_000);
    for (const mac of [old, current]) assert.ok(keys.macKeys.matches('refresh', 'data', mac));
    context.advance(120_000);
    assert.ok(!keys.macKeys.matches('refresh', 'data', old), 'the MAC of a known browser is valid for a year');
    assert.ok(keys.macKeys.matches('refresh', 'data', current));
    assert.ok(keys.macKeys.matches('refresh', 'data', old, oldId), 'a MAC with a key id is checked with that key');
    await rotateKeys(context, keys, { source });
    assert.equal(
      keys.macKeys.macWithKey(oldId, 'refresh', 'data'),
      undefined,
      'the key is deleted when no valid MAC uses it',
    );
  });

  it('invalidates all MACs of a compromised key', async () => {
    const context = await make();
    const keys = await openKeyRing(context);
    const [old, oldId] = [keys.macKeys.mac('refresh', 'data'), keys.macKeys.currentId()];
    const { epoch } = keys;
    await rotateKeys(context, keys, { source, compromised: true });
    assert.ok(!keys.macKeys.matches('refresh', 'data', old));
    assert.ok(!keys.macKeys.matches('refresh', 'data', old, oldId));
    assert.equal(keys.epoch, epoch + 1);
    assert.ok(keys.macKeys.matches('refresh', 'data', keys.macKeys.mac('refresh', 'data')));
  });

  it('uses no key that another process has removed, from the next request on', async () => {
    const context = await make();
    const [here, there] = [
      await openKeyRing(context),
      await openKeyRing(await make({ database: context.testDatabase })),
    ];
    const stolen = here.signingKeys.sign({ n: 1 }, { typ });
    assert.equal(typeof there.signingKeys.verify(stolen, { typ }), 'object');
    await rotateKeys(context, here, { source, compromised: true });
    await there.ensureCurrent();
    assert.equal(there.signingKeys.verify(stolen, { typ }), 'unknown-key');
    assert.deepEqual(there.signingKeys.jwks(), here.signingKeys.jwks());
  });

  it('creates one set of keys when two instances start at the same time', async () => {
    const context = await make();
    const [one, other] = await Promise.all([openKeyRing(context), openKeyRing(context)]);
    assert.equal(typeof other.signingKeys.verify(one.signingKeys.sign({}, { typ }), { typ }), 'object');
  });

  it('explains what to do if the keys were encrypted with another secret', async () => {
    const context = await make({ env: { ENCRYPTION_KEY: 'a key of sixteen or more' } });
    await openKeyRing(context);
    const other = await make({
      env: { ENCRYPTION_KEY: 'another key of sixteen or more' },
      database: context.testDatabase,
    });
    await assert.rejects(openKeyRing(other), (error: Error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /ENCRYPTION_KEY/);
      assert.ok(!error.message.includes('another key of'));
      return true;
    });
  });

  it('switches to ENCRYPTION_KEY when it is set, and then needs no other secret', async () => {
    const before = await make();
    const token = (await openKeyRing(before)).signingKeys.sign({ n: 1 }, { typ });
    const database = before.testDatabase;
    const env = { ENCRYPTION_KEY: 'a key of sixteen or more' };
    const after = await openKeyRing(await make({ env, database }));
    assert.equal(typeof after.signingKeys.verify(token, { typ }), 'object');
    const elsewhere = { ...env, DATA_DIR: join(database.dir, 'another') };
    const moved = await openKeyRing(await make({ env: elsewhere, database }));
    assert.equal(typeof moved.signingKeys.verify(token, { typ }), 'object');
    await assert.rejects(openKeyRing(await make({ database })), OperatorError);
  });

  it('encrypts values of an earlier derivation again at startup', async () => {
    const secret = 'a key of sixteen or more';
    const context = await make({ env: { ENCRYPTION_KEY: secret } });
    const { db } = context.database;
    const token = (await openKeyRing(context)).signingKeys.sign({ n: 1 }, { typ });
    const sealedForms = async () =>
      (await db.selectFrom('signing_keys').select('sealed_private').execute()).map(({ sealed_private: text }) =>
        text.startsWith('$argon2id$'),
      );
    const { open } = createSealing(context.config);
    for (const { id, sealed_private } of await db.selectFrom('signing_keys').selectAll().execute()) {
      const quick = quicklySealed(secret, open(sealed_private, id).content, id);
      await db.updateTable('signing_keys').set({ sealed_private: quick }).where('id', '=', id).execute();
    }
    assert.deepEqual(await sealedForms(), [false, false, false]);
    assert.equal(typeof (await openKeyRing(context)).signingKeys.verify(token, { typ }), 'object');
    assert.deepEqual(await sealedForms(), [true, true, true]);
  });

  it('stores no readable private key', async () => {
    const context = await make();
    await openKeyRing(context);
    const rows = await context.database.db.selectFrom('signing_keys').selectAll().execute();
    assert.deepEqual(rows.map(({ purpose }) => purpose).sort(), ['mac', 'sign', 'sign']);
    assert.ok(!JSON.stringify(rows).includes('"d\\"'));
    if (engine === 'sqlite') assert.equal(statSync(join(context.config.dataDir, 'encryption.key')).mode & 0o777, 0o600);
  });
});
