import { identityTables } from '../../database/migrations/first-tables/identity-tables.ts';
import { oauthTables } from '../../database/migrations/first-tables/oauth-tables.ts';
import { changeLogTables, serviceTables } from '../../database/migrations/first-tables/service-tables.ts';
import { signInTables } from '../../database/migrations/first-tables/sign-in-tables.ts';
import { OperatorError } from '../../platform/errors.ts';
import { checkAccess } from './check-access.ts';
import { checkActions } from './check-actions.ts';
import { areFields, checkFields } from './check-fields.ts';
import { checkOptions, describeValue, didYouMean, toSnakeCase } from './check-options.ts';
import { checkRelations } from './check-relations.ts';
import type { KnownNames } from './check-rules.ts';
import { type Definitions, namePattern, pathNamePattern, type ReportMistake } from './complaints.ts';
import type { Operation, ResourceDefinition } from './define-resource.ts';
import { storedNames } from './fields/computed.ts';
import type { Field } from './fields/field.ts';
import { isTooLongToIndex } from './fields/indexing.ts';
import { indexableMax } from './fields/text.ts';
import { hookOptions, resourceOptions } from './known-options.ts';

/** Paths and tables of the service itself. */
const reserved = new Set([
  ...['me', 'register', 'logout', 'oauth', 'email', 'password', 'resources', 'admin', 'settings', 'login', 'health'],
  ...['activities', 'diagnoses', 'invitations', 'changes', 'webhook-deliveries', 'tokens'],
  ...['queued-jobs', 'scheduled-jobs', 'job-runs', 'mcp-calls', 'migrations'],
  ...[identityTables, oauthTables, signInTables, serviceTables, changeLogTables].flatMap(Object.keys),
]);
const operations: readonly Operation[] = ['list', 'find', 'create', 'replace', 'update', 'delete'];

/** Refuses wrong declarations. The error names the file, the option and the correction. */
export function checkDefinitions(definitions: readonly ResourceDefinition[], known: KnownNames = {}): void {
  const problems: string[] = [];
  const complaintsOf =
    ({ file, name }: ResourceDefinition): ReportMistake =>
    (where, what) =>
      problems.push(`${file ?? name}: ${where}: ${what}`);
  const whole = new Set(definitions.filter((definition) => hasValidOptions(definition, complaintsOf(definition))));
  const byName = new Map<string, ResourceDefinition>();
  for (const definition of definitions) {
    const { name } = definition;
    if (typeof name !== 'string') continue;
    if (byName.has(name)) complaintsOf(definition)('name', `"${name}" is declared twice; rename one of the two.`);
    byName.set(name, definition);
  }
  const broken = new Set(definitions.filter((definition) => !whole.has(definition)).map(({ name }) => name));
  for (const definition of definitions) {
    // Further checks of an incomplete declaration would only repeat this error.
    if (whole.has(definition) && isApartFrom(broken, definition))
      checkDefinition(definition, byName, known, complaintsOf(definition));
    else checkFields({ ...definition, fields: fieldsIn(definition) }, byName, complaintsOf(definition));
  }
  if (problems.length > 0) throw new OperatorError(`Resource declarations are wrong:\n  ${problems.join('\n  ')}`);
}

const fieldsIn = ({ fields }: ResourceDefinition): Readonly<Record<string, Field>> =>
  Object.fromEntries(
    Object.entries(fields ?? {}).filter(([name, field]) => areFields({ [name]: field }, () => undefined)),
  );

/** Whether no relation leads to one of these resources. */
const isApartFrom = (names: ReadonlySet<string>, { relations = {} }: ResourceDefinition): boolean =>
  names.size === 0 ||
  !Object.values(relations as Record<string, { target?: string; through?: string } | undefined>).some(
    (relation) => names.has(relation?.target ?? '') || names.has(relation?.through ?? ''),
  );

/** Whether all options are known and have the right kind of value. Other checks rely on this. */
function hasValidOptions(
  { file: _file, recordedWith: _with, ...declared }: ResourceDefinition,
  complain: ReportMistake,
): boolean {
  const missing = (['name', 'fields', 'access'] as const).filter((option) => declared[option] === undefined);
  for (const option of missing) complain(option, `it is missing: expected ${resourceOptions[option].expected}.`);
  const right = checkOptions('', declared, resourceOptions, complain);
  const made = typeof declared.fields !== 'object' || areFields(declared.fields, complain);
  const hooked = checkOptions('hooks', declared.hooks ?? {}, hookOptions, complain);
  const { name, table = name, managed } = declared;
  const taken = managed && [name, table].find((word) => reserved.has(word));
  if (taken)
    complain(taken === name ? 'name' : 'table', `"${taken}" is a name of the service itself; choose another one.`);
  return right && made && hooked && missing.length === 0 && !taken;
}

function checkDefinition(definition: ResourceDefinition, all: Definitions, known: KnownNames, complain: ReportMistake) {
  const { name, table = name, managed } = definition;
  if (!pathNamePattern.test(name) || !namePattern.test(table)) {
    const better = toSnakeCase(name);
    const near = namePattern.test(better) && better !== name ? ` Did you mean "${better}"?` : '';
    complain(
      'name',
      `"${name}" takes a lowercase plural noun of letters, digits, - and _, at most 40 characters.${near}`,
    );
    return;
  }
  if (managed && definition.idType === 'text') complain('idType', 'ids of managed tables are UUIDs; leave it out.');
  for (const former of [definition.renamedFrom ?? []].flat()) {
    if (all.has(former))
      complain('renamedFrom', `"${former}" is still declared. Remove that declaration, or remove renamedFrom.`);
  }
  checkFields(definition, all, complain);
  checkOperations(definition, complain);
  checkRelations(definition, all, complain);
  checkActions(definition, complain);
  checkAccess(definition, all, known, complain);
  checkUniqueTogether(definition, complain);
  checkDefaultOrder(definition, complain);
  checkChanges(definition, complain);
  checkSoftDelete(definition, all, complain);
}

function checkSoftDelete(definition: ResourceDefinition, all: Definitions, complain: ReportMistake): void {
  const { softDelete, managed, remove, actions = [], relations = {}, fields } = definition;
  for (const [name, { options }] of Object.entries(fields)) {
    if (options.onDelete === 'cascade' && !softDelete && all.get(options.target ?? '')?.softDelete) {
      complain(`fields.${name}`, `${options.target} has softDelete: set softDelete here too, or use another onDelete.`);
    }
  }
  if (!softDelete) return;
  if (!managed) complain('softDelete', 'the table is not managed; use `where` and `remove` instead.');
  if (remove) complain('softDelete', '`remove` takes the place of the delete; leave one of the two out.');
  if (relations.restorations || actions.some(({ name }) => name === 'restorations')) {
    complain('softDelete', '/restorations restores rows; rename the relation or action with this name.');
  }
}

function checkChanges({ fields, managed, softDelete, changes }: ResourceDefinition, complain: ReportMistake): void {
  if (!Array.isArray(changes)) return;
  const isShown = ([, { options }]: [string, Field]) => !options.hidden && !options.writeOnly && !options.virtual;
  const names = [
    ...['id', ...(managed ? ['created_at', 'updated_at'] : []), ...(softDelete ? ['deleted_at'] : [])],
    ...Object.entries(fields)
      .filter(isShown)
      .map(([name]) => name),
  ];
  if (changes.length === 0) complain('changes', 'name the fields to show, or use true for all.');
  for (const name of changes.filter((each) => !names.includes(each))) {
    complain('changes', `answers show no field "${name}".${didYouMean(name, names)}`);
  }
}

function checkOperations(
  { operations: offered = operations, versioned = true }: ResourceDefinition,
  complain: ReportMistake,
): void {
  for (const operation of offered) {
    if (!operations.includes(operation)) {
      complain('operations', `"${operation}" is not known.${didYouMean(operation, operations)}`);
    }
  }
  const changes = offered.includes('replace') || offered.includes('update');
  if (changes && !offered.includes('find'))
    complain('operations', 'rows that can be changed must be readable: add "find".');
  if (changes && !versioned) complain('versioned', 'changes need a "version" column: add one, or allow only reading.');
}

function checkUniqueTogether({ fields, uniqueTogether = [] }: ResourceDefinition, complain: ReportMistake): void {
  const stored = storedNames(fields);
  for (const names of uniqueTogether) {
    if (!Array.isArray(names) || names.length < 2) {
      complain(
        'uniqueTogether',
        `expected lists of two names or more, such as [['a', 'b']]; got ${describeValue(names)}.`,
      );
      continue;
    }
    for (const name of names) {
      const field = fields[name];
      if (!field || !stored.includes(name)) {
        complain('uniqueTogether', `there is no stored field "${name}".${didYouMean(name, stored)}`);
      } else if (isTooLongToIndex(field)) {
        complain('uniqueTogether', `"${name}" is too long to be unique; give it a max of at most ${indexableMax}.`);
      }
    }
  }
}

function checkDefaultOrder({ fields, defaultOrder, managed }: ResourceDefinition, complain: ReportMistake): void {
  if (defaultOrder === undefined) return;
  const names = ['id', ...Object.keys(fields), ...(managed ? ['created_at', 'updated_at'] : [])];
  const name = defaultOrder.replace(/^-/, '');
  if (!names.includes(name)) complain('defaultOrder', `there is no field "${name}".${didYouMean(name, names)}`);
  else if (fields[name] && !fields[name].options.sortable) complain('defaultOrder', `make "${name}" sortable first.`);
}
