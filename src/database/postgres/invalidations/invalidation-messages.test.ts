import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Invalidation } from '../../bus.ts';
import { isVisibleIn } from './instance-table.ts';
import {
  confirmationBy,
  formatAnnouncement,
  formatConfirmation,
  parseAnnouncement,
  parseConfirmation,
} from './invalidation-messages.ts';

describe('Messages between instances', () => {
  const invalidations: Invalidation[] = [
    { kind: 'session', id: 'a' },
    { kind: 'client', id: 'ü"\\' },
  ];

  it('contain the invalidations', () => {
    assert.deepEqual(parseAnnouncement(formatAnnouncement({ announcement: 'x', invalidations })), {
      announcement: 'x',
      invalidations,
    });
  });

  it('become an invalidation of everything if they are too long or of a newer version', () => {
    const everything = [{ kind: 'everything', id: '' }];
    for (const id of ['a'.repeat(8000), 'ü'.repeat(4000), '"'.repeat(4000)]) {
      const message = formatAnnouncement({
        announcement: 'x',
        invalidations: [...invalidations, { kind: 'user', id }],
      });
      assert.ok(Buffer.byteLength(message) < 8000);
      assert.deepEqual(parseAnnouncement(message)?.invalidations, everything);
    }
    assert.deepEqual(parseAnnouncement('["x",["tenant","a"]]')?.invalidations, everything);
    assert.deepEqual(parseAnnouncement('["x",["constructor","a"]]')?.invalidations, everything);
  });

  it('are ignored if no instance wrote them', () => {
    for (const payload of ['', 'x', '[]', '{}', '[1]', '["x",["session"]]', '["x",["session",1]]', '["x","y"]', 'null'])
      assert.equal(parseAnnouncement(payload), undefined, payload);
    for (const payload of ['', 'x', 'x ', ' y', 'x y z']) assert.equal(parseConfirmation(payload), undefined, payload);
  });

  it('are confirmed differently by each instance and for each message', () => {
    const heard = { announcement: 'x', confirmation: confirmationBy('one', 'x') };
    assert.deepEqual(parseConfirmation(formatConfirmation(heard)), heard);
    const all = ['one', 'two'].flatMap((id) => ['x', 'y'].map((announcement) => confirmationBy(id, announcement)));
    assert.equal(new Set(all).size, 4);
  });
});

describe('A snapshot of PostgreSQL', () => {
  it('shows which transactions had ended', () => {
    const visible = [9n, 10n, 11n, 12n, 14n, 15n, 16n].map((transaction) => isVisibleIn('10:15:10,12', transaction));
    assert.deepEqual(visible, [true, false, true, false, true, false, false]);
    assert.deepEqual([isVisibleIn('10:10:', 9n), isVisibleIn('10:10:', 10n)], [true, false]);
  });
});
