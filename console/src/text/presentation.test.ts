import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe } from '../data/descriptions.ts';
import {
  columnsOf,
  defaultOrderOf,
  fieldLabel,
  helpOf,
  nameField,
  rowDetail,
  rowName,
  searchedFields,
} from './presentation.ts';

const cars = describe({
  name: 'cars',
  fields: {
    id: { type: 'uuid', readOnly: true, searchable: true, sortable: true },
    plate: { type: 'text', required: true, searchable: true, sortable: true },
    equipment: { type: 'json' },
    pin: { type: 'text', writeOnly: true },
    owner_id: { type: 'reference', references: 'owners', searchable: true },
    title: { type: 'text', readOnly: true },
    created_at: { type: 'timestamp', readOnly: true, sortable: true },
    updated_at: { type: 'timestamp', readOnly: true },
  },
});
const users = describe({
  name: 'users',
  fields: { email: { type: 'text', searchable: true }, name: { type: 'text', searchable: true } },
});

const namesOf = (fields: { name: string }[]) => fields.map(({ name }) => name);

test('a row is known by its title or name, and looked for by a text that can be searched', () => {
  assert.equal(nameField(cars)?.name, 'title');
  assert.deepEqual(namesOf(searchedFields(cars)), ['plate']);
  assert.equal(nameField(users)?.name, 'name');
  assert.deepEqual(namesOf(searchedFields(users)), ['name', 'email']);
  assert.deepEqual(searchedFields(describe({ name: 'links', fields: { car_id: { type: 'reference' } } })), []);
});

test('a row without its usual name is known by the next best', () => {
  assert.equal(rowName(users, { id: '1', name: 'Ada', email: 'ada@example.com' }), 'Ada');
  assert.equal(rowDetail(users, { id: '1', name: 'Ada', email: 'ada@example.com' }), 'ada@example.com');
  assert.equal(rowDetail(users, { id: '1', name: null, email: 'ada@example.com' }), undefined);
  assert.equal(rowName(users, { id: '1', name: null, email: 'ada@example.com' }), 'ada@example.com');
  assert.equal(rowName(users, { id: '0199d0a0-7c00-7000-8000-00000000abcd' }), '…0000abcd');
});

test('a list shows what fits in a line, and never what is only written', () => {
  assert.deepEqual(
    columnsOf(cars).map(({ name }) => name),
    ['title', 'plate', 'created_at', 'owner_id'],
  );
  assert.deepEqual(
    columnsOf(cars, 3).map(({ name }) => name),
    ['title', 'plate', 'owner_id'],
  );
});

test('lists begin with the newest where the name cannot be sorted by', () => {
  assert.deepEqual(defaultOrderOf(cars), { field: 'created_at', order: 'DESC' });
});

test('labels read as people write them', () => {
  const label = (name: string) =>
    fieldLabel(cars.fields.find((field) => field.name === name) ?? { name, references: undefined });
  assert.deepEqual(['id', 'owner_id', 'created_at', 'email_confirmed'].map(label), [
    'ID',
    'Owner',
    'Created',
    'Email confirmed',
  ]);
});

test('help below a field fits a row that is made, or one that is there', () => {
  const password = describe({ name: 'users', fields: { password: { type: 'text', writeOnly: true } } }).fields[0];
  assert.ok(password);
  assert.doesNotMatch(helpOf('users', password, true) ?? '', /Left empty/);
  assert.match(helpOf('users', password, false) ?? '', /Leave it empty/);
});
