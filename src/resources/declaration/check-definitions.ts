import { OperatorError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { checkField } from './check-fields.ts';
import { checkRelations } from './check-relations.ts';
import { type Complain, type Definitions, namePattern } from './complaints.ts';
import type { Operation, ResourceDefinition } from './define-resource.ts';
import { isTooLongToIndex } from './fields/indexing.ts';
import { indexableMax } from './fields/text.ts';

/** Paths and tables of the service itself. */
const reserved = new Set([
  ...['me', 'register', 'logout', 'oauth', 'email', 'password', 'resources', 'admin', 'settings', 'login', 'health'],
  ...['users', 'roles', 'clients', 'client_secrets', 'sessions', 'tokens', 'signing_keys', 'one_time_tokens'],
  ...['mails', 'throttles', 'events', 'idempotency_keys', 'resource_schemas', 'migrations'],
]);
const operations: readonly Operation[] = ['list', 'find', 'create', 'replace', 'update', 'delete'];
const implicitFields = ['id', 'created_at', 'updated_at', 'version'];

/** Stops the start when a declaration is wrong: with the file, the field and the mend. */
export function checkDefinitions(definitions: readonly ResourceDefinition[]): void {
  const problems: string[] = [];
  const byName = new Map<string, ResourceDefinition>();
  for (const definition of definitions) {
    const file = definition.file ?? definition.name;
    const complain: Complain = (where, what) => problems.push(`${file}: ${where === '' ? '' : `${where}: `}${what}`);
    if (byName.has(definition.name)) complain('name', `"${definition.name}" is declared twice; rename one of the two.`);
    byName.set(definition.name, definition);
  }
  for (const definition of definitions) {
    const file = definition.file ?? definition.name;
    checkDefinition(definition, byName, (where, what) =>
      problems.push(`${file}: ${where === '' ? '' : `${where}: `}${what}`),
    );
  }
  if (problems.length > 0) throw new OperatorError(`Resource declarations are wrong:\n  ${problems.join('\n  ')}`);
}

function checkDefinition(definition: ResourceDefinition, all: Definitions, complain: Complain): void {
  const { name, table = name, managed, fields } = definition;
  if (!namePattern.test(name) || !namePattern.test(table)) {
    complain('name', `"${name}" takes a lowercase plural noun of letters, digits and _, at most 40 characters.`);
    return;
  }
  if (managed && (reserved.has(name) || reserved.has(table))) {
    complain('name', `"${name}" belongs to the service itself; choose another name.`);
  }
  if (managed && definition.idType === 'text') complain('idType', 'ids of managed tables are UUIDs; leave it out.');
  for (const [fieldName, field] of Object.entries(fields)) {
    if (!namePattern.test(fieldName)) {
      complain(`fields.${fieldName}`, 'a name takes lowercase letters, digits and _, at most 40 characters.');
    } else if (fieldName === 'id' || (managed && implicitFields.includes(field.options.column ?? fieldName))) {
      complain(`fields.${fieldName}`, 'every row has it already; leave it out.');
    } else if (managed && (field.options.column ?? fieldName).endsWith('_folded')) {
      complain(`fields.${fieldName}`, 'columns that end in _folded are kept for searching; choose another name.');
    } else checkField(definition, fieldName, field, all, complain);
  }
  checkAccess(definition, complain);
  checkOperations(definition, complain);
  checkRelations(definition, all, complain);
  checkNamesInLists(definition, complain);
}

function checkAccess({ access }: ResourceDefinition, complain: Complain): void {
  for (const operation of ['read', 'write', 'create', 'update', 'delete'] as const) {
    const rule = access?.[operation];
    if (rule === undefined && operation !== 'read' && operation !== 'write') continue;
    if (typeof rule === 'function' || rule === 'auth:api' || rule === 'nobody') continue;
    if (rule === 'public' && operation === 'read') continue;
    complain(
      `access.${operation}`,
      `it takes 'auth:api', 'nobody', a rule such as role('admin')${operation === 'read' ? ", or 'public'" : ''}.`,
    );
  }
}

function checkOperations(
  { operations: offered = operations, versioned = true }: ResourceDefinition,
  complain: Complain,
): void {
  for (const operation of offered) {
    if (!operations.includes(operation)) complain('operations', `"${operation}" is none of ${operations.join(', ')}.`);
  }
  const changes = offered.includes('replace') || offered.includes('update');
  if (changes && !offered.includes('find')) complain('operations', 'what can be changed must be found: add "find".');
  if (changes && !versioned) complain('versioned', 'changes need a "version" column: add one, or offer no changes.');
}

function checkNamesInLists(definition: ResourceDefinition, complain: Complain): void {
  const { fields, defaultOrder, uniqueTogether = [], managed } = definition;
  const names = ['id', ...Object.keys(fields), ...(managed ? ['created_at', 'updated_at'] : [])];
  const unknown = (name: string) => {
    const near = nearest(name, names);
    return `there is no field "${name}".${near ? ` Did you mean "${near}"?` : ''} There are: ${names.join(', ')}.`;
  };
  for (const name of uniqueTogether.flat()) {
    const field = fields[name];
    if (!field) complain('uniqueTogether', unknown(name));
    else if (isTooLongToIndex(field)) {
      complain('uniqueTogether', `"${name}" is too long to be unique; give it a max of at most ${indexableMax}.`);
    }
  }
  if (defaultOrder === undefined) return;
  const name = defaultOrder.replace(/^-/, '');
  if (!names.includes(name)) complain('defaultOrder', unknown(name));
  else if (fields[name] && !fields[name].options.sortable) complain('defaultOrder', `make "${name}" sortable first.`);
}
