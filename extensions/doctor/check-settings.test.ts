import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseConfig } from '../../src/config/config.ts';
import { checkSettings } from './check-settings.ts';

const noticed = (env: Record<string, string>) =>
  checkSettings(parseConfig({}, env, '/srv/gatehouse'))
    .filter(({ part }) => part === 'applications')
    .map(({ summary }) => summary.split(':', 1)[0]);

describe("The doctor's warnings about client registration", () => {
  it('are absent by default', () => {
    assert.deepEqual(noticed({}), []);
    assert.deepEqual(noticed({ DYNAMIC_CLIENTS: 'token', OUTBOUND_PRIVATE_ADDRESSES: 'true' }), []);
  });

  it('name open registration, and documents from the private network', () => {
    assert.deepEqual(noticed({ DYNAMIC_CLIENTS: 'open' }), ['DYNAMIC_CLIENTS=open']);
    const inside = { CLIENT_DOCUMENTS: 'on', OUTBOUND_PRIVATE_ADDRESSES: 'true' };
    assert.deepEqual(noticed(inside), ['OUTBOUND_PRIVATE_ADDRESSES']);
  });
});
