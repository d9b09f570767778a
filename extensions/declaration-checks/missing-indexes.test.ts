import assert from 'node:assert/strict';
import { it } from 'node:test';
import { defineResource } from '../../src/resources/declaration/define-resource.ts';
import { text } from '../../src/resources/declare.ts';
import { missingIndexWarnings } from './missing-indexes.ts';

it('warn about queries without an index', () => {
  const warnings = missingIndexWarnings([
    defineResource({
      name: 'things',
      fields: { note: text({ max: 5000, searchable: true }), name: text({ searchable: true }) },
      access: { read: 'auth:api', write: 'auth:api' },
    }),
  ]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /things\.note/);
});
