import { asObject, isObject } from '../../src/platform/is-object.ts';
import {
  checkOptions,
  describeValue,
  didYouMean,
  type ReportMistake,
} from '../../src/resources/declaration/check-options.ts';
import { isComputed } from '../../src/resources/declaration/fields/computed.ts';
import type { Field, Fields } from '../../src/resources/declaration/fields/field.ts';
import type { FieldType } from '../../src/resources/declaration/fields/field-type.ts';
import { fieldTypeNamed, typeNameOf } from '../../src/resources/declaration/fields/field-types.ts';
import { type Check, namePattern, storedNames, toSnakeCase } from './check.ts';
import { computedOptions, fieldOptions } from './known-options.ts';

const implicitFields = ['id', 'created_at', 'updated_at', 'version'];

export function checkFields(check: Check): void {
  const { definition, report } = check;
  const { fields, managed, softDelete } = definition;
  for (const [name, field] of Object.entries(fields)) {
    const column = field.options.column ?? name;
    if (!namePattern.test(name)) {
      const snakeCase = toSnakeCase(name);
      const suggestion = namePattern.test(snakeCase) ? ` Did you mean "${snakeCase}"?` : '';
      report(`fields.${name}`, `a name takes lowercase letters, digits and _, at most 40 characters.${suggestion}`);
    } else if (
      name === 'id' ||
      (managed && implicitFields.includes(column)) ||
      (softDelete && column === 'deleted_at')
    ) {
      report(`fields.${name}`, 'every row already has this field; leave it out.');
    } else if (name === 'if_match') {
      report(`fields.${name}`, 'batches use this name for the ETag of a row; choose another name.');
    } else if (managed && column.endsWith('_folded')) {
      report(`fields.${name}`, 'columns that end in _folded are reserved for searching; choose another name.');
    } else checkField(name, field, check);
  }
}

/** Whether each field is made by a function such as `text`. */
export function areFields(fields: Readonly<Record<string, unknown>>, report: ReportMistake): boolean {
  const invalidFields = Object.entries(fields).filter(([, field]) => !isField(field));
  for (const [name, field] of invalidFields) {
    const { type, options } = asObject(field);
    if (typeof type === 'string' && options !== undefined) {
      report(`fields.${name}`, `expected options such as { required: true }; got ${describeValue(options)}.`);
      continue;
    }
    const suggestion = typeof field === 'function' && field.name ? ` Did you mean ${field.name}()?` : '';
    report(
      `fields.${name}`,
      `expected a field such as text({ required: true }); got ${describeValue(field)}.${suggestion}`,
    );
  }
  return invalidFields.length === 0;
}

function isField(value: unknown): value is Field {
  const { type, options } = asObject(value);
  return typeof type === 'string' && isObject(options);
}

/** The checks for fields of every type. Each type adds its own. */
function checkField(name: string, field: Field, { definition, all, report }: Check): void {
  const where = `fields.${name}`;
  const reportHere = (message: string) => report(where, message);
  const { options } = field;
  if (!hasKnownOptions(where, field, report)) return;
  const { min, max, searchable, sortable, unique } = options;
  const type = fieldTypeNamed(typeNameOf(field));
  if (!type) {
    reportHere(`there is no field type "${typeNameOf(field)}".`);
    return;
  }
  if (min !== undefined && max !== undefined && min > max) reportHere(`min ${min} is above max ${max}.`);
  if (isComputed(field)) checkComputed(field, definition.fields, reportHere);
  else type.checkOptions?.(options, reportHere, all.keys());
  if ((isComputed(field) || options.virtual) && (searchable || sortable || unique)) {
    reportHere('it can be neither searchable, sortable nor unique; leave those out.');
  }
  if ((options.hidden || options.writeOnly) && (searchable || sortable)) {
    reportHere('callers could guess a hidden value by searching or sorting; leave searchable and sortable out.');
  }
  if (options.virtual && !options.writeOnly) reportHere('a virtual field is never shown: set `writeOnly: true`.');
  if (!isComputed(field)) checkDefault(type, field, reportHere);
  for (const formerName of [options.renamedFrom ?? []].flat()) {
    if (Object.hasOwn(definition.fields, formerName)) {
      reportHere(`renamedFrom: "${formerName}" is still declared. Remove that field, or remove renamedFrom.`);
    }
  }
}

function hasKnownOptions(where: string, field: Field, report: ReportMistake): boolean {
  const { options } = field;
  // The builder function sets these options, not the operator.
  const { readOnly: _readOnly, ...declaredOptions } = options;
  if (isComputed(field)) return checkOptions(where, declaredOptions, computedOptions, report);
  const knownOptions = { ...fieldTypeNamed(field.type)?.ownOptions, ...fieldOptions };
  return checkOptions(where, options, knownOptions, report);
}

function checkDefault(type: FieldType, { options }: Field, report: (message: string) => void): void {
  const value = options.default;
  if (value === undefined || typeof value === 'function') return;
  const refusal =
    value === null
      ? { message: 'is already the value of a field without `required` and default; leave it out' }
      : type.check(value, options);
  if (refusal) report(`default: ${describeValue(value)} ${refusal.message}.`);
}

function checkComputed({ options, compute }: Field, fields: Fields, report: (message: string) => void): void {
  const stored = ['id', ...storedNames(fields), 'created_at', 'updated_at'];
  for (const source of options.from ?? []) {
    if (!stored.includes(source)) report(`from: there is no stored field "${source}".${didYouMean(source, stored)}`);
  }
  if (options.as === undefined) report("as is missing: the type of the value, such as 'text'.");
  if (options.from === undefined) report('from is missing: the names of the fields that the value is computed from.');
  if (typeof compute !== 'function') report('a computed field needs a function.');
}
