import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { DatabaseClock } from './database-clock.ts';
import { SilentInstances } from './invalidation-connection.ts';
import { confirmationTimeoutMs, Lease, leaseMs, readClocks } from './lease.ts';

const clocks = { monotonic: 0, wall: 0 };
/** Mocks the clocks for the suite that calls it. */
function mockClocks(): void {
  beforeEach(() => {
    Object.assign(clocks, { monotonic: 1000, wall: Date.UTC(2030, 0, 1) });
    mock.method(performance, 'now', () => clocks.monotonic);
    mock.method(Date, 'now', () => clocks.wall);
  });
  afterEach(() => mock.restoreAll());
}
const pass = (ms: number) => {
  clocks.monotonic += ms;
  clocks.wall += ms;
};

describe('A lease on invalidations', () => {
  mockClocks();
  it('is valid for its length from the request, not from the response', () => {
    const lease = new Lease();
    assert.equal(lease.isHeld(), false);
    const sentAt = readClocks();
    pass(1000);
    lease.renew(sentAt);
    pass(leaseMs - 1001);
    assert.equal(lease.isHeld(), true);
    pass(1);
    assert.equal(lease.isHeld(), false);
  });

  it('expires during sleep, although the monotonic clock stops', () => {
    const lease = new Lease();
    lease.renew(readClocks());
    clocks.wall += 3_600_000;
    assert.equal(lease.isHeld(), false);
  });

  it('is not extended by a wall clock that is set back', () => {
    const lease = new Lease();
    lease.renew(readClocks());
    clocks.wall -= 3_600_000;
    assert.equal(lease.isHeld(), true);
    pass(leaseMs);
    assert.equal(lease.isHeld(), false);
  });

  it('can be dropped, and expires before any instance stops waiting for it', () => {
    const lease = new Lease();
    lease.renew(readClocks());
    lease.drop();
    assert.equal(lease.isHeld(), false);
    assert.ok(confirmationTimeoutMs / leaseMs >= 1.0834 / 0.9166, 'although one clock runs fast and the other slow');
    assert.ok(confirmationTimeoutMs <= 3000, 'the longest time that a logout may take');
  });
});

describe('The clock of the database', () => {
  mockClocks();
  it('continues between readings, even if the clock of the machine changes', () => {
    const clock = new DatabaseClock();
    assert.throws(() => clock.now());
    clock.set({ time: 500_000, sentAt: 1000, receivedAt: 1010 });
    assert.equal(clock.now(), 499_995);
    clocks.wall += 3_600_000;
    pass(100);
    assert.equal(clock.now(), 500_095);
  });

  it('is corrected only as far as a reading proves it wrong', () => {
    const clock = new DatabaseClock();
    clock.set({ time: 500_000, sentAt: 1000, receivedAt: 1010 });
    pass(1000);
    clock.set({ time: 501_900, sentAt: 2000, receivedAt: 4000 });
    assert.equal(clock.now(), 500_995, 'a slow response proves little about the clock');
    clock.set({ time: 501_050, sentAt: 2000, receivedAt: 2002 });
    assert.equal(clock.now(), 501_048);
    clock.set({ time: 4_101_050, sentAt: 2000, receivedAt: 2002 });
    assert.equal(clock.now(), 4_101_048, 'the clock of the database was set');
  });
});

describe('Silent instances', () => {
  mockClocks();
  const row = (id: string, renewals: number) => ({ id, renewals, snapshot: '1:1:' });

  it('are instances whose row has not changed for longer than a lease', () => {
    const silent = new SilentInstances();
    assert.deepEqual(silent.find([row('a', 1), row('b', 1)], 0), []);
    assert.deepEqual(silent.find([row('a', 2), row('b', 1)], confirmationTimeoutMs - 1), []);
    assert.deepEqual(silent.find([row('a', 2), row('b', 1)], confirmationTimeoutMs), [row('b', 1)]);
    assert.deepEqual(silent.find([row('a', 2)], 2 * confirmationTimeoutMs - 2), []);
    assert.deepEqual(silent.find([row('a', 2)], 2 * confirmationTimeoutMs - 1), [row('a', 2)]);
  });
});
