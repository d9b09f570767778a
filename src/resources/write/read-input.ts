import { quoteForError } from '../../http/errors/parameter-errors.ts';
import { suggestName } from '../../platform/closest-name.ts';
import { type FieldError, type FieldErrorValues, maxFieldErrors, unprocessable } from '../../platform/errors.ts';
import type { DefaultCall } from '../declaration/fields/field.ts';
import type { Resource, ResourceField } from '../model/resource.ts';

export type Values = Record<string, unknown>;

export interface Input {
  readonly values: Values;
  /** Fields that cannot be changed but were sent, because clients send whole resources back. */
  readonly unchanged: Values;
}

export type WriteMode = 'create' | 'replace' | 'update';

export const fieldError = (field: string, code: string, message: string, values?: FieldErrorValues): FieldError => ({
  field,
  code,
  message: `${field} ${message}.`,
  ...values,
});

/** The body of a request, and the values that its path sets (`fixed`). */
export interface WriteInput {
  readonly body: unknown;
  readonly isForm: boolean;
  readonly fixed?: Values;
  /** The service itself is the caller. It may set read-only and hidden fields. */
  readonly asService?: boolean;
}

/** The engine sets these fields in every write. */
const engineFields = new Set(['id', 'created_at', 'updated_at']);

/** Validates a body against the declaration. Responds 422 with one entry for each invalid field. */
export function readInput(
  resource: Resource,
  mode: WriteMode,
  { body, isForm, fixed = {}, asService }: WriteInput,
  call: DefaultCall,
): Input {
  const errors: FieldError[] = [];
  const values: Values = {};
  const unchanged: Values = {};
  const submitted = new Map(Object.entries((body ?? {}) as Values));
  for (const [name, value] of submitted) {
    if (errors.length >= maxFieldErrors) break;
    // A client that sends back a whole resource sends old values of fields that the service changes.
    const field = resource.fields.get(name);
    const isServiceField = asService && resource.definition.managed && field?.stored && !engineFields.has(name);
    if (!field || (field.options.hidden && !isServiceField)) errors.push(unknownField(resource, name));
    else if (mode === 'replace' && (field.compute || name === 'updated_at')) continue;
    else if (!isServiceField && mode !== 'create' && field.shown && (!field.sendable || field.options.immutable))
      unchanged[name] = value;
    else if (!isServiceField && !field.sendable)
      errors.push(fieldError(name, 'read_only', 'is set by the service and cannot be sent'));
    else if (name in fixed) {
      if (value !== fixed[name]) errors.push(fieldError(name, 'conflict', 'differs from the id in the path'));
    } else {
      const result = readValue(field, value, isForm);
      if ('error' in result) errors.push(result.error);
      else if (result.value === null && mode === 'create' && field.options.requiredToCreate)
        errors.push(fieldError(name, 'required', 'must not be null'));
      else values[name] = result.value;
    }
  }
  Object.assign(values, fixed);
  if (mode !== 'update') {
    for (const field of resource.fields.values()) {
      if (submitted.has(field.name) || field.name in values || field.compute || field.name === 'id') continue;
      completeField(field, mode, values, errors, call);
    }
  }
  if (errors.length > 0) throw unprocessable(errors);
  return { values, unchanged };
}

/** Validates values that an action writes. An action may set read-only and hidden fields. */
export function checkValues(resource: Resource, values: Values): void {
  const errors = Object.entries(values).flatMap(([name, value]) => {
    const field = resource.fields.get(name);
    if (!field) return [unknownField(resource, name)];
    if (field.compute || name === 'id') return [];
    const result = readValue(field, value ?? null, false);
    return 'error' in result ? [result.error] : [];
  });
  if (errors.length > 0) throw unprocessable(errors);
}

/** The value of an omitted field: its default, null, or an error. */
function completeField(field: ResourceField, mode: WriteMode, values: Values, errors: FieldError[], call: DefaultCall) {
  const { name, options, sendable } = field;
  // The sender of a whole resource does not know hidden fields, and cannot set read-only ones.
  if (mode === 'replace' && (!field.shown || !sendable || options.immutable)) return;
  // A default that depends on the caller names the creator of the row. A caller who replaces the row does not become its creator.
  if (mode === 'replace' && typeof options.default === 'function') return;
  if (options.default !== undefined) {
    const value = typeof options.default === 'function' ? options.default(call) : options.default;
    if (value !== null && value !== undefined) {
      values[name] = value;
      return;
    }
  }
  const isRequired = options.required || (mode === 'create' && options.requiredToCreate);
  if (isRequired && sendable) errors.push(fieldError(name, 'required', 'is required'));
  else if (sendable && !options.virtual) values[name] = null;
}

function unknownField(resource: Resource, name: string): FieldError {
  const sendableNames = [...resource.fields.values()].filter(({ sendable }) => sendable).map((field) => field.name);
  const suggestion = suggestName(name.slice(0, 60), sendableNames);
  return {
    field: name.slice(0, 100),
    code: 'unknown',
    message: `${quoteForError(name)} is not a field of ${resource.name}.${suggestion} Allowed: ${sendableNames.join(', ')}.`,
  };
}

function readValue(
  field: ResourceField,
  submitted: unknown,
  isForm: boolean,
): { value: unknown } | { error: FieldError } {
  const { name, nullable, options, type } = field;
  let value = submitted;
  if (isForm && typeof value === 'string') {
    // An empty form field means "no value", unless the field allows the empty text.
    const isEmpty = value === '' && !type.takesEmptyText?.(options);
    value = isEmpty && nullable ? null : type.fromForm(value);
  }
  if (value === null) return nullable ? { value } : { error: fieldError(name, 'required', 'must not be null') };
  const refusal = type.check(value, options);
  if (!refusal) return { value };
  const { code, message, ...values } = refusal;
  return { error: fieldError(name, code, message, values) };
}
