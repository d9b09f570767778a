import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseConfig } from './config.ts';

it('ROLE_SCOPES refuses an unknown role, because a misspelt role would limit nobody', () => {
  const read = (env: Record<string, string>) => parseConfig({}, env, import.meta.dirname);
  const ROLE_SCOPES = '*=users:read; editor=users:read';
  assert.throws(
    () => read({ ROLE_SCOPES }),
    /ROLE_SCOPES: got the role "editor"; expected \*, and the roles of ROLES: admin\.$/,
  );
  assert.deepEqual(Object.keys(read({ ROLE_SCOPES, ROLES: 'editor' }).roleScopes), ['*', 'editor']);
});
