import { identityTables } from '../../src/database/migrations/first-tables/identity-tables.ts';
import { oauthTables } from '../../src/database/migrations/first-tables/oauth-tables.ts';
import { changeLogTables, serviceTables } from '../../src/database/migrations/first-tables/service-tables.ts';
import { signInTables } from '../../src/database/migrations/first-tables/sign-in-tables.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { isObject } from '../../src/platform/is-object.ts';
import {
  checkOptions,
  describeValue,
  didYouMean,
  type ReportMistake,
} from '../../src/resources/declaration/check-options.ts';
import type { Operation, ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import type { Field } from '../../src/resources/declaration/fields/field.ts';
import { isTooLongToIndex } from '../../src/resources/declaration/fields/field-types.ts';
import { indexableMax } from '../../src/resources/declaration/fields/text.ts';
import { type Check, type KnownNames, namePattern, pathNamePattern, storedNames, toSnakeCase } from './check.ts';
import { checkAccess } from './check-access.ts';
import { checkActions } from './check-actions.ts';
import { areFields, checkFields } from './check-fields.ts';
import { checkRelations } from './check-relations.ts';
import { hookOptions, resourceOptions } from './known-options.ts';
import { missingIndexWarnings } from './missing-indexes.ts';

const reserved = new Set([
  ...['me', 'register', 'logout', 'oauth', 'email', 'password', 'resources', 'admin', 'settings', 'login', 'health'],
  ...['activities', 'diagnoses', 'invitations', 'changes', 'webhook-deliveries', 'tokens', 'token-reports'],
  'passkey-challenges',
  ...['queued-jobs', 'scheduled-jobs', 'job-runs', 'mcp-calls', 'migrations'],
  ...[identityTables, oauthTables, signInTables, serviceTables, changeLogTables].flatMap(Object.keys),
]);
const operations: readonly Operation[] = ['list', 'find', 'create', 'replace', 'update', 'delete'];

/**
 * Rejects wrong declarations. The error names the file, the option and the correction. Returns warnings. `builtinDefinitions` are not
 * checked, because a test does that (`builtin-resources.test.ts`). The other declarations may refer to them.
 */
export function checkDefinitions(
  definitions: readonly ResourceDefinition[],
  knownNames: KnownNames = {},
  builtinDefinitions: readonly ResourceDefinition[] = [],
): string[] {
  const problems: string[] = [];
  const reporterFor =
    ({ file, name }: ResourceDefinition): ReportMistake =>
    (where, message) =>
      problems.push(`${file ?? name}: ${where}: ${message}`);
  const validDefinitions = new Set(
    definitions.filter((definition) => hasValidOptions(definition, reporterFor(definition))),
  );
  const byName = new Map<string, ResourceDefinition>();
  const nameOfTable = new Map<string, string>();
  for (const definition of [...builtinDefinitions, ...definitions]) {
    const { name, table = name, managed } = definition;
    if (typeof name !== 'string') continue;
    const other = managed ? nameOfTable.get(table) : undefined;
    if (byName.has(name)) reporterFor(definition)('name', `"${name}" is declared twice; rename one of the two.`);
    else if (other) reporterFor(definition)('table', `"${table}" is the table of ${other}; choose another one.`);
    byName.set(name, definition);
    if (managed) nameOfTable.set(table, name);
  }
  const invalidNames = new Set(
    definitions.filter((definition) => !validDefinitions.has(definition)).map(({ name }) => name),
  );
  for (const definition of definitions) {
    const check = { definition, all: byName, knownNames, report: reporterFor(definition) };
    // Further checks of an incomplete declaration would only repeat this error.
    if (validDefinitions.has(definition) && isUnrelatedTo(invalidNames, definition)) checkDefinition(check);
    else checkFields({ ...check, definition: { ...definition, fields: fieldsIn(definition) } });
  }
  if (problems.length > 0) throw new OperatorError(`Resource declarations are wrong:\n  ${problems.join('\n  ')}`);
  return missingIndexWarnings(definitions);
}

const fieldsIn = ({ fields }: ResourceDefinition): Readonly<Record<string, Field>> =>
  Object.fromEntries(
    Object.entries(fields ?? {}).filter(([name, field]) => areFields({ [name]: field }, () => undefined)),
  );

const isUnrelatedTo = (names: ReadonlySet<string>, { relations = {} }: ResourceDefinition): boolean =>
  names.size === 0 ||
  !Object.values(relations as Record<string, { target?: string; through?: string } | undefined>).some(
    (relation) => names.has(relation?.target ?? '') || names.has(relation?.through ?? ''),
  );

/** Whether all options are known and have the right kind of value. Other checks rely on this. */
function hasValidOptions({ file, ...options }: ResourceDefinition, report: ReportMistake): boolean {
  const { recordedWith: _recordedWith, served: _served, ...withoutInternal } = options;
  // Operators declare resources in files. Only built-in resources have the internal options.
  const declared = file === undefined ? withoutInternal : options;
  const missing = (['name', 'fields', 'access'] as const).filter((option) => declared[option] === undefined);
  for (const option of missing) report(option, `it is missing: expected ${resourceOptions[option].expected}.`);
  const hasKnownOptions = checkOptions('', declared, resourceOptions, report);
  const hasFields = !isObject(declared.fields) || areFields(declared.fields, report);
  const hasKnownHooks = checkOptions('hooks', declared.hooks ?? {}, hookOptions, report);
  const { name, table = name, managed } = declared;
  const reservedName = managed && [name, table].find((word) => reserved.has(word));
  if (reservedName)
    report(
      reservedName === name ? 'name' : 'table',
      `"${reservedName}" is a name of the service itself; choose another one.`,
    );
  return hasKnownOptions && hasFields && hasKnownHooks && missing.length === 0 && !reservedName;
}

function checkDefinition(check: Check) {
  const { definition, all, report } = check;
  const { name, table = name, managed } = definition;
  if (!pathNamePattern.test(name) || !namePattern.test(table)) {
    const snakeCase = toSnakeCase(name);
    const suggestion = namePattern.test(snakeCase) && snakeCase !== name ? ` Did you mean "${snakeCase}"?` : '';
    report(
      'name',
      `"${name}" takes a lowercase plural noun of letters, digits, - and _, at most 40 characters.${suggestion}`,
    );
    return;
  }
  if (managed && definition.idType === 'text') report('idType', 'ids of managed tables are UUIDs; leave it out.');
  for (const formerName of [definition.renamedFrom ?? []].flat()) {
    if (all.has(formerName))
      report('renamedFrom', `"${formerName}" is still declared. Remove that declaration, or remove renamedFrom.`);
  }
  checkFields(check);
  checkOperations(check);
  checkRelations(check);
  checkActions(check);
  checkAccess(check);
  checkUniqueTogether(check);
  checkDefaultOrder(check);
  checkChanges(check);
  checkSoftDelete(check);
}

function checkSoftDelete({ definition, all, report }: Check): void {
  const { softDelete, managed, remove, actions = [], relations = {}, fields } = definition;
  for (const [name, { options }] of Object.entries(fields)) {
    if (options.onDelete === 'cascade' && !softDelete && all.get(options.target ?? '')?.softDelete) {
      report(`fields.${name}`, `${options.target} has softDelete: set softDelete here too, or use another onDelete.`);
    }
  }
  if (!softDelete) return;
  if (!managed) report('softDelete', 'the table is not managed; use `where` and `remove` instead.');
  if (remove) report('softDelete', '`remove` takes the place of the delete; leave one of the two out.');
  if (relations.restorations || actions.some(({ name }) => name === 'restorations')) {
    report('softDelete', '/restorations restores rows; rename the relation or action with this name.');
  }
}

function checkChanges({ definition: { fields, managed, softDelete, changes }, report }: Check): void {
  if (!Array.isArray(changes)) return;
  const isShown = ([, { options }]: [string, Field]) => !options.hidden && !options.writeOnly && !options.virtual;
  const names = [
    ...['id', ...(managed ? ['created_at', 'updated_at'] : []), ...(softDelete ? ['deleted_at'] : [])],
    ...Object.entries(fields)
      .filter(isShown)
      .map(([name]) => name),
  ];
  if (changes.length === 0) report('changes', 'name the fields to show, or use true for all.');
  for (const name of changes.filter((each) => !names.includes(each))) {
    report('changes', `responses contain no field "${name}".${didYouMean(name, names)}`);
  }
}

function checkOperations({ definition, report }: Check): void {
  const { operations: offeredOperations = operations, versioned = true } = definition;
  for (const operation of offeredOperations) {
    if (!operations.includes(operation)) {
      report('operations', `"${operation}" is not known.${didYouMean(operation, operations)}`);
    }
  }
  const changesRows = offeredOperations.includes('replace') || offeredOperations.includes('update');
  if (changesRows && !offeredOperations.includes('find'))
    report('operations', 'rows that can be changed must be readable: add "find".');
  if (changesRows && !versioned)
    report('versioned', 'changes need a "version" column: add one, or allow only reading.');
}

function checkUniqueTogether({ definition: { fields, uniqueTogether = [] }, report }: Check): void {
  const stored = storedNames(fields);
  for (const names of uniqueTogether) {
    if (!Array.isArray(names) || names.length < 2) {
      report(
        'uniqueTogether',
        `expected lists of two names or more, such as [['a', 'b']]; got ${describeValue(names)}.`,
      );
      continue;
    }
    for (const name of names) {
      const field = fields[name];
      if (!field || !stored.includes(name)) {
        report('uniqueTogether', `there is no stored field "${name}".${didYouMean(name, stored)}`);
      } else if (isTooLongToIndex(field)) {
        report('uniqueTogether', `"${name}" is too long to be unique; give it a max of at most ${indexableMax}.`);
      }
    }
  }
}

function checkDefaultOrder({ definition: { fields, defaultOrder, managed }, report }: Check): void {
  if (defaultOrder === undefined) return;
  const names = ['id', ...Object.keys(fields), ...(managed ? ['created_at', 'updated_at'] : [])];
  const name = defaultOrder.replace(/^-/, '');
  if (!names.includes(name)) report('defaultOrder', `there is no field "${name}".${didYouMean(name, names)}`);
  else if (fields[name] && !fields[name].options.sortable) report('defaultOrder', `make "${name}" sortable first.`);
}
