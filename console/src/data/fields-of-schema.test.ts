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
  assert.deepEqual(
    park?.fields.map(({ name, type, label, required, min, max, values }) => ({
      name,
      type,
      label,
      required,
      min,
      max,
      values,
    })),
    [
      { name: 'place', type: 'text', label: 'Where', required: true, min: 1, max: 120, values: undefined },
      {
        name: 'on',
        type: 'date',
        label: undefined,
        required: false,
        min: undefined,
        max: undefined,
        values: undefined,
      },
      { name: 'seats', type: 'integer', label: undefined, required: false, min: 1, max: 9, values: undefined },
      {
        name: 'how',
        type: 'enum',
        label: undefined,
        required: true,
        min: undefined,
        max: undefined,
        values: ['inside', 'outside'],
      },
      {
        name: 'tags',
        type: 'list',
        label: undefined,
        required: true,
        min: undefined,
        max: undefined,
        values: undefined,
      },
      {
        name: 'more',
        type: 'json',
        label: undefined,
        required: false,
        min: undefined,
        max: undefined,
        values: undefined,
      },
    ],
  );
});
