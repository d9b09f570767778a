import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getLanguages } from '../../../config/languages/languages.ts';
import { identityScopes, KnownScopes, narrowScopes } from './scopes.ts';

describe('The texts of scopes', () => {
  it('come from the declarations, the service and the operator', () => {
    const known = new KnownScopes();
    const languages = getLanguages({ languagesDir: '/nowhere', defaultLanguage: 'en' });
    const textOf = (scope: string) => languages.text('en', known.describe(scope));
    known.addResource('books');
    known.addResource('car_drivers');
    known.addResource('films', 'favourite films');
    known.addResource('users');
    known.add('reports:run');
    known.add('reports:run');
    assert.equal(textOf('books:read'), 'Read your books');
    assert.equal(textOf('car_drivers:write'), 'Add, change and delete your car drivers');
    assert.equal(textOf('films:read'), 'Read your favourite films');
    assert.match(textOf('users:read'), /your account/);
    assert.equal(textOf('reports:run'), 'Use “reports:run”');
    known.add('reports:run', 'Run your reports');
    known.add('reports:run');
    assert.equal(textOf('reports:run'), 'Run your reports');
    for (const scope of [...identityScopes, '*']) assert.doesNotMatch(textOf(scope), /^Use/, scope);
    assert.ok(known.has('reports:run') && !known.has('reports:read'));
  });
});

describe('Scopes of a holder who has lost rights', () => {
  it('are the remaining ones, without any that `*` never included', () => {
    assert.deepEqual(narrowScopes(['openid', 'users:read'], ['users:read', 'users:write']), ['openid', 'users:read']);
    assert.deepEqual(narrowScopes(['*'], ['users:read', 'profile', 'tokens:introspect']), ['users:read']);
    assert.deepEqual(narrowScopes(['*', 'profile'], ['users:read', 'profile']), ['users:read', 'profile']);
  });
});
