import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe, type ResourceDescription } from '../data/descriptions.ts';
import { hiddenRowsText } from './hidden-rows.ts';

const pets = (readers: ResourceDescription['readers']) => describe({ name: 'pets', fields: {}, readers });

test('says that a rule hides rows, and who may see them', () => {
  const staff = pets({ everyone: 'none', roles: { admin: 'none', vet: 'all', client: 'some' } });
  assert.equal(
    hiddenRowsText(staff, ['admin']),
    'An access rule hides all pets from you. Users with one of these roles see all of them: vet. Users with one of these roles see some of them: client.',
  );
  const owners = pets({ everyone: 'some', roles: { admin: 'some', vet: 'all' } });
  assert.equal(
    hiddenRowsText(owners, ['admin']),
    'An access rule shows you only some pets. Users with one of these roles see all of them: vet. Every other user sees some of them.',
  );
});

test('says nothing to who may see every row', () => {
  assert.equal(hiddenRowsText(pets({ everyone: 'none', roles: { admin: 'none', vet: 'all' } }), ['admin', 'vet']), '');
  assert.equal(hiddenRowsText(pets({ everyone: 'all', roles: { admin: 'all' } }), []), '');
  assert.equal(hiddenRowsText(describe({ name: 'pets', fields: {} }), ['admin']), '', 'of an older service');
});
