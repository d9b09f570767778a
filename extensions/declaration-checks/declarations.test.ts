import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { action, defineResource, type ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import { boolean } from '../../src/resources/declaration/fields/boolean.ts';
import { computed } from '../../src/resources/declaration/fields/computed.ts';
import type { Fields } from '../../src/resources/declaration/fields/field.ts';
import { json } from '../../src/resources/declaration/fields/json.ts';
import { list } from '../../src/resources/declaration/fields/list.ts';
import { integer } from '../../src/resources/declaration/fields/numeric.ts';
import { oneOf } from '../../src/resources/declaration/fields/one-of.ts';
import { reference } from '../../src/resources/declaration/fields/reference.ts';
import { text } from '../../src/resources/declaration/fields/text.ts';
import { belongsTo, hasMany, manyToMany, type Relations } from '../../src/resources/declaration/relations.ts';
import { checkDefinitions } from './check-definitions.ts';

const access = { read: 'auth:api', write: 'auth:api' } as const;
const declared = (more: object): ResourceDefinition => ({
  ...defineResource({ name: 'cars', fields: { plate: text() }, access }),
  file: 'resources/cars.ts',
  ...more,
});
const withFields = (fields: Fields, more: object = {}) => declared({ fields, ...more });
const withRelation = (relations: Relations) => declared({ relations });

describe('A wrong declaration stops the start and names the file, the option and the correction', () => {
  const cases: [name: string, definition: ResourceDefinition, says: RegExp][] = [
    ['a name', declared({ name: 'Cars' }), /name: "Cars" takes a lowercase plural noun/],
    ['a reserved name', declared({ name: 'sessions' }), /"sessions" is a name of the service itself/],
    ['a table of the service', declared({ name: 'issuers' }), /"issuers" is a name of the service itself/],
    ['a reserved path', declared({ name: 'me' }), /"me" is a name of the service/],
    ['a field name', withFields({ 'Plate No': text() }), /fields\.Plate No: a name takes lowercase/],
    ['an implicit field', withFields({ created_at: text() }), /fields\.created_at: every row already has/],
    ['a folded column', withFields({ name_folded: text() }), /_folded are reserved/],
    ['bounds', withFields({ seats: integer({ min: 5, max: 1 }) }), /fields\.seats: min 5 is above max 1/],
    [
      'a default',
      withFields({ seats: integer({ max: 3, default: 4 }) }),
      /fields\.seats: default: 4 must be at most 3/,
    ],
    ['no values', withFields({ color: oneOf([]) }), /fields\.color: expected a list of non-empty strings/],
    [
      'a target',
      withFields({ owner_id: reference('owner') }),
      /no resource "owner" to refer to. Expected one of: cars/,
    ],
    ['set null', withFields({ car_id: reference('cars', { required: true, onDelete: 'set null' }) }), /may be null/],
    ['searchable JSON', withFields({ extras: json({ searchable: true }) }), /neither searchable/],
    ['a sortable list', withFields({ tags: list({ sortable: true }) }), /neither sortable nor unique/],
    ['a long unique text', withFields({ note: text({ max: 5000, unique: true }) }), /at most 500/],
    ['a guessable secret', withFields({ pin: text({ writeOnly: true, searchable: true }) }), /could guess/],
    ['a shown virtual field', withFields({ code: text({ virtual: true }) }), /writeOnly: true/],
    ['sources', withFields({ label: computed({ as: 'text', from: ['plat'] }, () => '') }), /no stored field "plat"/],
    [
      'a relation',
      withRelation({ owner: belongsTo('owners', { by: 'owner_id' }) }),
      /relations\.owner: there is no resource "owners"/,
    ],
    [
      'a relation by a field that is not a reference',
      withRelation({ twin: belongsTo('cars', { by: 'plate' }) }),
      /must be a field made by reference\('cars'\)/,
    ],
    ['a relation back', withRelation({ parts: hasMany('cars', { by: 'car_id' }) }), /"car_id" of cars must be/],
    [
      'links',
      withRelation({ twins: manyToMany('cars', { through: 'links', from: 'a', to: 'b' }) }),
      /through: there is no resource "links"/,
    ],
    [
      'a relation with the name of a field',
      declared({
        fields: { plate: text(), car: reference('cars') },
        relations: { car: belongsTo('cars', { by: 'car' }) },
      }),
      /rename one/,
    ],
    [
      'access',
      declared({ access: { read: 'everybody', write: 'auth:api' } }),
      /access\.read: "everybody" is not known\. Expected one of: auth:api, nobody, public\./,
    ],
    ['no access', declared({ access: {} }), /access\.read.*access\.write/s],
    ['public writes', declared({ access: { read: 'public', write: 'public' } }), /access\.write/],
    ['operations', declared({ operations: ['lists'] }), /"lists" is not known\. Did you mean "list"\?/],
    ['changes without find', declared({ operations: ['list', 'update'] }), /add "find"/],
    ['an order', declared({ defaultOrder: '-plat' }), /there is no field "plat". Did you mean "plate"/],
    ['an order by a field that is not sortable', declared({ defaultOrder: 'plate' }), /make "plate" sortable/],
    [
      'unique together',
      declared({ uniqueTogether: [['plate', 'place']] }),
      /no stored field "place"\. Did you mean "plate"\?/,
    ],
    [
      'an action',
      declared({ actions: [action({ name: 'Park It', summary: '', run: () => undefined })] }),
      /actions\.Park It/,
    ],
  ];
  for (const [name, definition, says] of cases) {
    it(name, () => {
      assert.throws(
        () => checkDefinitions([definition]),
        (error: Error) => {
          assert.equal(error.name, 'OperatorError');
          assert.match(error.message, /resources\/cars\.ts: /);
          assert.match(error.message, says);
          return true;
        },
      );
    });
  }

  it('refuses two resources with the same table', () => {
    const definitions = [declared({ name: 'books' }), declared({ name: 'novels', table: 'books' })];
    assert.throws(() => checkDefinitions(definitions), /table: "books" is the table of books; choose another one/);
  });

  it('reports all mistakes at once', () => {
    const problem = withFields({ a: integer({ min: 2, max: 1 }), b: boolean({ default: 'yes' as never }) });
    assert.throws(() => checkDefinitions([problem, declared({})]), /declared twice.*fields\.a.*fields\.b/s);
  });
});
