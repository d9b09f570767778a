import type { Complain, Definitions } from './complaints.ts';
import type { ResourceDefinition } from './define-resource.ts';
import { checkComputed, isComputed } from './fields/computed.ts';
import type { Field } from './fields/field.ts';
import type { FieldType } from './fields/field-type.ts';
import { fieldTypeNamed, typeNameOf } from './fields/field-types.ts';

/** What holds for fields of every type; the type adds its own. */
export function checkField(
  definition: ResourceDefinition,
  name: string,
  field: Field,
  all: Definitions,
  complain: Complain,
): void {
  const where = `fields.${name}`;
  const complainHere = (what: string) => complain(where, what);
  const { options } = field;
  const { min, max, searchable, sortable, unique } = options;
  const type = fieldTypeNamed(typeNameOf(field));
  if (!type) {
    complainHere(`there is no type "${typeNameOf(field)}" of fields.`);
    return;
  }
  if (min !== undefined && max !== undefined && min > max) complainHere(`min ${min} is above max ${max}.`);
  if (isComputed(field)) checkComputed(field, definition.fields, complainHere);
  else type.checkOptions?.(options, complainHere, all.keys());
  if ((isComputed(field) || options.virtual) && (searchable || sortable || unique)) {
    complainHere('it can be neither searchable, sortable nor unique; leave those out.');
  }
  if ((options.hidden || options.writeOnly) && (searchable || sortable)) {
    complainHere('what is never shown could be guessed by searching or sorting; leave searchable and sortable out.');
  }
  if (options.virtual && !options.writeOnly) complainHere('a virtual field is never shown: say `writeOnly: true`.');
  if (!isComputed(field)) checkDefault(type, field, complainHere);
}

function checkDefault(type: FieldType, { options }: Field, complain: (what: string) => void): void {
  const value = options.default;
  if (value === undefined || typeof value === 'function') return;
  const refusal =
    value === null
      ? { says: 'is what a field without `required` and default holds anyway; leave it out' }
      : type.check(value, options);
  if (refusal) complain(`default: ${JSON.stringify(value)} ${refusal.says}.`);
}
