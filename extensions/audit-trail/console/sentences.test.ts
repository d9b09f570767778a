import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsOf, type TrailEvent } from './sentences.ts';

const event = (type: string, of: Partial<TrailEvent> = {}): TrailEvent => ({
  ...{ id: '1', type, user_id: 'u', client_id: 'c', actor_id: null, address: null, user_agent: null },
  ...{ data: null, created_at: '2026-01-01T00:00:00Z', ...of },
});
const told = (of: TrailEvent) =>
  partsOf(of)
    .map((part) => (typeof part === 'string' ? part : `<${part.name} ${part.id}>`))
    .join('');

test('an event is told as a sentence, with those whom it names', () => {
  assert.equal(told(event('login.succeeded')), '<user u> signed in');
  assert.equal(told(event('user.disabled', { actor_id: 'a' })), '<actor a> disabled <user u>');
  assert.equal(told(event('passkey.removed', { actor_id: 'a' })), '<actor a> removed a passkey of <user u>');
  assert.equal(told(event('logout')), '<user u> signed out');
  assert.equal(told(event('consent.given')), '<user u> authorized <client c>');
});

test('a write to a declared resource names who and what', () => {
  const written = event('cars.updated', { data: { id: 'x' } });
  assert.equal(told(written), '<user u> changed <row x>');
});

test('one that nobody has words for is told by its type', () => {
  assert.equal(told(event('cars.updated', { actor_id: 'a', user_id: null })), '<actor a>: cars updated');
  assert.equal(told(event('big_things.made_up', { user_id: null })), 'big things made up');
});
