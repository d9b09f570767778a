import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anonymousCaller } from '../../platform/caller.ts';
import { idempotencyKey } from './idempotency.ts';

describe('An idempotency key', () => {
  it('opens the responses that an older version has stored', () => {
    const purposes: string[] = [];
    const macs = (purpose: string) => {
      purposes.push(purpose);
      return ['mac'];
    };
    idempotencyKey({ macs } as never, 'key', anonymousCaller, 'POST /v1/cars', {});
    assert.deepEqual(purposes, ['idempotency key of a row', 'idempotent body', 'idempotent answer']);
  });
});
