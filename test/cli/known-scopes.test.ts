import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { knownScopes } from '../../src/main/builtin-resources.ts';
import { services } from '../harness/service.ts';

describe('The scopes that commands know', () => {
  const start = services('sqlite');

  it('are the scopes of the service', async () => {
    const env = { RESOURCES_DIR: join(import.meta.dirname, '../../examples/fleet/resources') };
    const service = await start({ env });
    assert.deepEqual((await knownScopes(service.context.config)).list(), service.scopes.list());
    assert.ok(service.scopes.has('cars:read'));
  });
});
