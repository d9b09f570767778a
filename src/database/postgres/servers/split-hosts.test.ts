import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitHosts, withoutCredentials } from './split-hosts.ts';

describe('The hosts of a URL', () => {
  it('are separated, each with the user, the database name and the options', () => {
    assert.deepEqual(splitHosts('postgres://u:p%40w@a:5432,b/name?sslmode=require'), [
      'postgres://u:p%40w@a:5432/name?sslmode=require',
      'postgres://u:p%40w@b/name?sslmode=require',
    ]);
    assert.deepEqual(splitHosts('postgresql://[::1]:5432,[::2]/name'), [
      'postgresql://[::1]:5432/name',
      'postgresql://[::2]/name',
    ]);
  });

  it('can be one or none', () => {
    for (const url of ['postgres://u:p@a/name', 'postgres://u@/name?host=/run/postgresql', 'postgres://a'])
      assert.deepEqual(splitHosts(url), [url]);
  });

  it('are shown without a password', () => {
    assert.equal(withoutCredentials('postgres://u:secret@a:5432/name?password=secret'), 'a:5432/name');
  });
});
