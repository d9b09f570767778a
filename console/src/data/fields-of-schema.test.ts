import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { describe } from './descriptions.ts';

test('the form of an action comes from the schema of its body', () => {
  const bodySchema = Type.Object({
    place: Type.String({ minLength: 1, maxLength: 120, title: 'Where' }),
    on: Type.Optional(Type.String({ format: 'date' })),
    seats: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    how: Type.Union([Type.Literal('inside'), Type.Literal('outside')]),
    tags: Type.Array(Type.String()),
    more: Type.Optional(Type.Object({ depth: Type.Number() })),
  });
  const actions = [{ name: 'park', method: 'POST', on: 'row', summary: 'Park', body: true, bodySchema }];
  const [park] = describe({ name: 'cars', actions: JSON.parse(JSON.stringify(actions)) }).actions;
  assert.deepEqual(JSON.parse(JSON.stringify(park?.fields)), [
    { name: 'place', type: 'text', label: 'Where', required: true, min: 1, max: 120 },
    { name: 'on', type: 'date', required: false },
    { name: 'seats', type: 'integer', required: false, min: 1, max: 9 },
    { name: 'how', type: 'enum', required: true, values: ['inside', 'outside'] },
    { name: 'tags', type: 'list', required: true },
    { name: 'more', type: 'json', required: false },
  ]);
});
