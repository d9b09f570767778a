import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeSearchValue, queryStringOf, type Search, searchOf } from './list-query.ts';

/** How the contract reads a value: `\` takes the next sign as it is. */
function unescaped(value: string): { text: string; meaning: boolean } {
  let text = '';
  let meaning = false;
  for (let i = 0; i < value.length; i++) {
    const sign = value[i] as string;
    if (sign === '\\') text += value[++i] ?? '';
    else {
      if (';,*'.includes(sign)) meaning = true;
      text += sign;
    }
  }
  return { text, meaning };
}

test('any text becomes one plain search value', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('\\', ';', ',', '*', ':', 'a', '"', '%', 'é') }), (text) => {
      assert.deepEqual(unescaped(escapeSearchValue(text)), { text, meaning: false });
    }),
  );
});

const search = (wanted: Search) => searchOf(wanted).search;

test('a text that looks like an operator or like null is still a text', () => {
  assert.deepEqual(searchOf({ name: '>=5' }), { search: 'name:>=5', searchFields: 'name:=' });
  assert.deepEqual(searchOf({ name: 'null', other: null }), { search: 'name:null;other:null', searchFields: 'name:=' });
  assert.deepEqual(searchOf({ name: ['!=a', 'b,c'] }), { search: 'name:!=a,b\\,c', searchFields: 'name:in' });
  assert.deepEqual(searchOf({ name: ' null' }), { search: 'name: null', searchFields: 'name:=' });
  assert.deepEqual(searchOf({ name: { startsWith: '!=z', contains: 'y' } }), {
    search: 'name:!=z*;name:*y*',
    searchFields: 'name:like',
  });
  assert.deepEqual(searchOf({ name: { startsWith: 'null', '<': 'z' } }).searchFields, '');
  assert.throws(() => searchOf({ name: { startsWith: ' >a', '<': 'z' } }), RangeError);
  assert.throws(() => searchOf({ name: { '!=': ' null' } }), RangeError);
  assert.throws(() => searchOf({ name: ['null', null] }), RangeError);
  assert.throws(() => searchOf({ name: { '>': '=5' } }), RangeError);
});

test('a search joins fields, lists and comparisons', () => {
  assert.equal(
    search({ name: 'A;B', id: ['1', '2,3'], seats: { '>=': 2, '<': 9 } }),
    'name:A\\;B;id:1,2\\,3;seats:>=2;seats:<9',
  );
  assert.equal(
    search({ plate: { startsWith: 'B*' }, note: { contains: 'x' }, end: { endsWith: 'y' } }),
    'plate:B\\**;note:*x*;end:*y',
  );
  assert.equal(search({ owner_id: null, active: true, skipped: undefined }), 'owner_id:null;active:true');
  assert.equal(search({ made: { '>': new Date(0) } }), 'made:>1970-01-01T00:00:00.000Z');
});

test('an empty list is refused: left out, it would match everything', () => {
  assert.throws(() => searchOf({ id: [] }), /search\.id is an empty list/);
});

test('a query string contains the options and nothing else', () => {
  assert.equal(queryStringOf({}), '');
  assert.equal(queryStringOf({ search: {} }), '');
  const query = queryStringOf({
    search: { name: 'a&b' },
    orderBy: ['name', 'id'],
    sortedBy: ['asc', 'desc'],
    filter: ['id', 'name'],
    include: ['owner', 'owner.cars'],
    page: 2,
    limit: 50,
  });
  assert.deepEqual(Object.fromEntries(new URLSearchParams(query)), {
    search: 'name:a&b',
    orderBy: 'name;id',
    sortedBy: 'asc;desc',
    filter: 'id;name',
    include: 'owner,owner.cars',
    page: '2',
    limit: '50',
  });
});

test('the first page by cursor is an empty cursor, not none', () => {
  assert.equal(queryStringOf({ cursor: '' }), '?cursor=');
});
