import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changesBetween } from './changes.ts';

describe('Changes for the audit trail', () => {
  it('contain the old and the new value of changed fields only', () => {
    const before = { id: '1', version: 1, updated_at: 1, name: 'Ann', roles: ['a'], seats: 4, note: null };
    const after = { id: '1', version: 2, updated_at: 2, name: 'Bob', roles: ['a'], seats: 4, note: 'x' };
    assert.deepEqual(changesBetween(before, after), {
      name: { from: 'Ann', to: 'Bob' },
      note: { from: null, to: 'x' },
    });
  });

  it('contain new values for a new row, and old values for a deleted row', () => {
    assert.deepEqual(changesBetween(undefined, { id: '1', name: 'Ann', note: null }), { name: { to: 'Ann' } });
    assert.deepEqual(changesBetween({ id: '1', name: 'Ann' }, undefined), { name: { from: 'Ann' } });
  });

  it('name secrets and never show them', () => {
    const names = ['password', 'client_secret', 'password_hash', 'access_token', 'apiKey', 'api_key', 'pin', 'salt'];
    for (const name of [...names, 'declared']) {
      const changes = changesBetween({ [name]: 'old' }, { [name]: 'new' }, (field) => field === 'declared');
      assert.deepEqual(changes, { [name]: { hidden: true } });
    }
    assert.deepEqual(changesBetween({ spinning: 1 }, { spinning: 2 }), { spinning: { from: 1, to: 2 } });
  });

  it('are truncated if they are long, each and in total', () => {
    const { text } = changesBetween({ text: 'a' }, { text: `${'b'.repeat(255)}😀` }) as { text: { to: string } };
    assert.deepEqual(text, { from: 'a', to: 'b'.repeat(255), cut: true });
    const list = changesBetween({ list: [] }, { list: Array.from({ length: 200 }, (_, i) => `item ${i}`) });
    assert.equal((list.list as { to: string }).to.length, 256);
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, 'x'.repeat(1000)]));
    const changes = changesBetween(undefined, wide);
    assert.deepEqual(Object.keys(changes), Object.keys(wide), 'every field is listed');
    assert.ok(JSON.stringify(changes).length < 30_000);
  });
});
