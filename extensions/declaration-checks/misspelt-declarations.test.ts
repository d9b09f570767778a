import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  all,
  anyOf,
  compare,
  equals,
  lists,
  owner,
  related,
  role,
  scope,
} from '../../src/resources/declaration/access.ts';
import { action, defineResource, type ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import { boolean } from '../../src/resources/declaration/fields/boolean.ts';
import { computed } from '../../src/resources/declaration/fields/computed.ts';
import { list } from '../../src/resources/declaration/fields/list.ts';
import { integer } from '../../src/resources/declaration/fields/numeric.ts';
import { oneOf } from '../../src/resources/declaration/fields/one-of.ts';
import { reference } from '../../src/resources/declaration/fields/reference.ts';
import { text } from '../../src/resources/declaration/fields/text.ts';
import { belongsTo, hasMany } from '../../src/resources/declaration/relations.ts';
import { checkDefinitions } from './check-definitions.ts';

/** Stands for declarations in JavaScript, or with a wrong cast. */
// biome-ignore lint/suspicious/noExplicitAny: these declarations are invalid on purpose.
type Anything = any;

const access = { read: 'auth:api', write: 'auth:api' } as const;
const fields = {
  plate: text({ sortable: true }),
  kind: oneOf(['car', 'van']),
  parked: boolean(),
  tags: list(),
  user_id: reference('owners'),
};
const owners = { ...defineResource({ name: 'owners', fields: { name: text() }, access }), file: 'resources/owners.ts' };
const cars = (more: Anything): ResourceDefinition => ({
  ...defineResource({ name: 'cars', fields, access } as Anything),
  ...more,
  file: 'resources/cars.ts',
});
const withField = (field: Anything) => cars({ fields: { ...fields, seats: field } });
const withAction = (more: Anything) =>
  cars({ actions: [action({ name: 'park', summary: 'Park', run: () => 1, ...more })] });
const reading = (read: Anything) => cars({ access: { ...access, read } });

const check = (definition: ResourceDefinition) => () =>
  checkDefinitions([definition, owners], { roles: ['admin', 'editor'], scopes: ['*', 'cars:read', 'cars:export'] });

describe('An unknown option or name', () => {
  const cases: [what: string, definition: ResourceDefinition, says: RegExp][] = [
    ['an option', cars({ uniqeTogether: [] }), /uniqeTogether: .*Did you mean "uniqueTogether"\?/],
    ['an internal option', cars({ served: false }), /served: "served" is unknown/],
    ['another internal option', cars({ recordedWith: 'user_id' }), /recordedWith: "recordedWith" is unknown/],
    ['an icon', cars({ icon: 'cra' }), /icon: expected an emoji, or one of .*car.*got "cra"/],
    ['a hook', cars({ hooks: { beforeWrit() {} } }), /hooks\.beforeWrit: .*Did you mean "beforeWrite"\?/],
    ['an operation', cars({ access: { ...access, delet: 'nobody' } }), /access\.delet: .*Did you mean "delete"\?/],
    ['a word', cars({ access: { read: 'auth.api', write: 'nobdy' } }), /"auth:api"\?.*write: .*"nobody"\?/s],
    ['an operation of the list', cars({ operations: ['list', 'remove'] }), /operations: "remove" is not known/],
    ['an option of a field', withField(integer({ mim: 1 } as Anything)), /fields\.seats\.mim: .*Did you mean "min"\?/],
    ['an option of another type', withField(boolean({ max: 1 } as Anything)), /fields\.seats\.max: "max" is unknown/],
    [
      'an option of a reference',
      withField(reference('owners', { ondelete: 'cascade' } as Anything)),
      /fields\.seats\.ondelete: .*Did you mean "onDelete"\?/,
    ],
    [
      'an option of a computed field',
      withField(computed({ as: 'text', from: ['plate'], nulable: true } as Anything, () => '')),
      /fields\.seats\.nulable: .*Did you mean "nullable"\?/,
    ],
    [
      'an option of a relation',
      cars({ relations: { owner: belongsTo('owners', { by: 'user_id', onDelete: 'cascade' } as Anything) } }),
      /relations\.owner\.onDelete: "onDelete" is unknown/,
    ],
    ['an option of an action', withAction({ acces: 'read' }), /actions\.park\.acces: .*Did you mean "access"\?/],
    ['a method', withAction({ method: 'PSOT' }), /actions\.park\.method: expected one of "GET".*"PSOT"/],
    ['a guard of an action', withAction({ access: 'reed' }), /actions\.park\.access: .*Did you mean "read"\?/],
    ['a role', reading(role('editr')), /access\.read: there is no role "editr"\. Did you mean "editor"\?/],
    [
      'a scope',
      reading(scope('cars:exprt')),
      /access\.read: there is no scope "cars:exprt"\. Did you mean "cars:export"\?/,
    ],
    ['a role of an action', withAction({ access: role('amdin') }), /actions\.park\.access: .*Did you mean "admin"\?/],
    [
      'a role in a rule function',
      reading((caller: Anything) => caller.roles.includes('admin') || caller.roles.includes('edit')),
      /access\.read: there is no role "edit"\. Did you mean "editor"\?/,
    ],
    [
      'a field of a rule',
      reading(anyOf(role('admin'), owner('userid'))),
      /access\.read: .*"userid"\. Did you mean "user_id"\?/,
    ],
    ['a field of a condition', reading(() => all(true, compare('plat', '=', 'x'))), /Did you mean "plate"\?/],
    ['a value that is not a list', reading(() => lists('plate', 'x')), /access\.read: "plate" is not a list field/],
    ['a relation of a rule', reading(() => related('ownr', equals('name', 'x'))), /cars has no relation "ownr"/],
    [
      'a field beyond a relation',
      cars({
        relations: { owner: belongsTo('owners', { by: 'user_id' }) },
        access: { ...access, write: () => related('owner', equals('nam', 'x')) },
      }),
      /access\.write: owners has no stored field "nam"\. Did you mean "name"\?/,
    ],
    ['a field of where', cars({ where: () => equals('parkt', true) }), /where: .*Did you mean "parked"\?/],
    ['a field of an order', cars({ defaultOrder: '-plat' }), /defaultOrder: .*Did you mean "plate"\?/],
    ['a field of a unique constraint', cars({ uniqueTogether: [['plate', 'kin']] }), /uniqueTogether: .*"kind"\?/],
    ['the target of a reference', withField(reference('owner')), /"owner" to refer to\. Did you mean "owners"\?/],
    [
      'the target of a relation',
      cars({ relations: { owner: belongsTo('owner', { by: 'user_id' }) } }),
      /relations\.owner: .*Did you mean "owners"\?/,
    ],
    [
      'the field of a relation',
      cars({ relations: { owner: belongsTo('owners', { by: 'usr_id' }) } }),
      /relations\.owner: "usr_id" of cars must be .*Did you mean "user_id"\?/,
    ],
  ];
  for (const [what, definition, says] of cases) {
    it(`is refused with the nearest valid name: ${what}`, () => {
      assert.throws(check(definition), (error: Error) => {
        assert.equal(error.name, 'OperatorError');
        assert.match(error.message, /resources\/cars\.ts: /);
        assert.match(error.message, says);
        return true;
      });
    });
  }
});

describe('An invalid value in a declaration', () => {
  const cases: [what: string, definition: ResourceDefinition, says: RegExp][] = [
    [
      'a text instead of a boolean',
      withField(text({ required: 'yes' } as Anything)),
      /fields\.seats\.required: expected true or/,
    ],
    ...[text as Anything, list, (options: Anything) => oneOf(['a'], options)].flatMap((declare) =>
      ['required', 5, null].map((options): (typeof cases)[number] => [
        'options that are not an object',
        withField(declare(options)),
        /fields\.seats: expected options such as \{ required: true \}; got ("required"|5|null)\./,
      ]),
    ),
    ['a function that was not called', withField(text), /fields\.seats: .*Did you mean text\(\)\?/],
    ['a text instead of a field', withField('text'), /fields\.seats: expected a field such as text/],
    [
      'a pattern with a position',
      withField(text({ pattern: /a/g })),
      /fields\.seats\.pattern: expected .*flags g and y/,
    ],
    ['a BigInt as an option', withField(integer({ min: 1n } as Anything)), /fields\.seats\.min: expected .*got 1n/],
    ['a BigInt as a default', withField(integer({ default: 1n } as Anything)), /fields\.seats.*default: 1n must be/],
    ['no fields', cars({ fields: undefined }), /fields: it is missing/],
    ['null instead of fields', cars({ fields: null }), /fields: expected an object .*got null/],
    ['null instead of an action', cars({ actions: [null] }), /actions\[0\]: expected action\(.*got null/],
    ['a role without a name', reading((role as Anything)()), /access\.read: there is no role "undefined"/],
    ['a hook that is not a function', cars({ hooks: { prepare: true } }), /hooks\.prepare: expected a function/],
    ['an action without run', withAction({ run: undefined }), /actions\.park\.run: it is missing/],
    ['the body of a GET', withAction({ method: 'GET', body: {} }), /actions\.park\.body: a GET has no body/],
    ['an action twice', cars({ actions: [1, 2].map(() => withAction({}).actions?.[0]) }), /there are two of this name/],
    [
      'a value that is not a relation',
      cars({ relations: { owner: 'owners' } }),
      /relations\.owner: expected a relation/,
    ],
    [
      'a relation without its field',
      cars({ relations: { owner: hasMany('owners', {} as Anything) } }),
      /owner\.by: it is miss/,
    ],
    ['names outside of a list', cars({ uniqueTogether: ['plate', 'kind'] }), /uniqueTogether: expected lists of two/],
    ['a rule without a result', reading(() => undefined), /access\.read: a rule returns true, false or .*nothing/],
    ['an async rule', reading(async () => true), /access\.read: .*is async/],
    ['a rule that was not called', reading(role), /access\.read: .*returns a function/],
    ['a rule that always fails', reading((caller: Anything) => caller.groups.size > 1), /fails for every caller/],
    [
      'a comparison with another type',
      reading(() => equals('parked', 'yes')),
      /"parked" is compared with "yes": it must/,
    ],
    ['an unknown value', reading(() => equals('kind', 'bus')), /must be one of: car, van/],
    ['a rule on a computed field', reading(() => equals('title', 'x')), /no stored field "title"/],
  ];
  for (const [what, definition, says] of cases) {
    it(`is refused: ${what}`, () => assert.throws(check(definition), says));
  }

  it('is reported with all others, at any depth', () => {
    const seats = integer({ mim: 1 } as Anything);
    const problem = cars({
      fields: { ...fields, seats },
      access: { ...access, delet: 'nobody' },
      hooks: { beforeWrit() {} },
      defaultorder: 'plate',
    });
    assert.throws(check(problem), /defaultorder: .*hooks\.beforeWrit: .*fields\.seats\.mim: .*access\.delet: /s);
  });

  it('is reported without its consequences', () => {
    assert.throws(check(cars({ name: 'users' })), /wrong:\n {2}resources\/cars\.ts: name: "users" is a name[^\n]*$/);
    assert.throws(check(cars({ name: 'Fast Cars' })), /Did you mean "fast_cars"\?$/);
    assert.throws(
      check(reading(role('guest'))),
      /Expected one of: admin, editor\. .* such as ROLES=admin,editor,guest\.$/,
    );
  });

  it('is reported once, regardless of the number of callers in the test of the rule', () => {
    assert.throws(check(reading(owner('userid'))), (error: Error) => error.message.split('\n').length === 2);
  });

  it('is not reported if the declaration is valid', () => {
    const read = anyOf(role('editor'), owner('user_id'), (caller) => caller.userId !== null && equals('kind', 'van'));
    const actions = [action({ name: 'park', summary: 'Park', access: role('editor'), run: () => 1 } as Anything)];
    assert.doesNotThrow(check(cars({ access: { read, write: role('admin'), delete: 'nobody' }, actions })));
  });
});

describe('All mistakes', () => {
  it('are reported at once, in incomplete declarations and in the others', () => {
    const broken = cars({ label: 5, fields: { ...fields, seats: integer({ mim: 1 } as Anything), doors: 'four' } });
    const beside = {
      ...defineResource({
        name: 'drivers',
        fields: { car_id: reference('cars'), kind: oneOf(['a'], { default: 'b' as 'a' }) },
        relations: { car: belongsTo('cars', { by: 'car_id' }) },
        access,
      }),
      file: 'resources/drivers.ts',
    };
    const apart = { ...owners, access: { ...access, read: scope('cars:exprt') } } as ResourceDefinition;
    const known = { roles: ['admin'], scopes: ['*', 'cars:export'] };
    assert.throws(
      () => checkDefinitions([broken, beside, apart], known),
      ({ message }: Error) => {
        const lines = message.split('\n').slice(1);
        const expected = [
          /cars\.ts: label: expected/,
          /cars\.ts: fields\.doors: expected a field/,
          /cars\.ts: fields\.seats\.mim: /,
          /drivers\.ts: fields\.kind: default: "b"/,
          /owners\.ts: access\.read: there is no scope "cars:exprt"/,
        ];
        for (const line of expected)
          assert.ok(
            lines.some((each) => line.test(each)),
            `${line}\n${message}`,
          );
        assert.equal(lines.length, expected.length, message);
        return true;
      },
    );
  });
});
