import type { Complain, Definitions } from './complaints.ts';
import type { ResourceDefinition } from './define-resource.ts';
import { kindOf } from './field-values.ts';
import type { Field } from './fields.ts';

/** Characters that an index of PostgreSQL takes in any case: 2,704 bytes, at most four a character. */
export const indexableMax = 500;

export function checkField(
  definition: ResourceDefinition,
  name: string,
  { type, options, compute }: Field,
  all: Definitions,
  complain: Complain,
): void {
  const where = `fields.${name}`;
  const { min, max, values, target, searchable, sortable, unique } = options;
  if (min !== undefined && max !== undefined && min > max) complain(where, `min ${min} is above max ${max}.`);
  if (type === 'enum' && (!values?.length || values.some((value) => typeof value !== 'string' || value === ''))) {
    complain(where, 'it takes a list of texts that are not empty.');
  }
  if (type === 'computed') {
    for (const source of options.from ?? []) {
      const from = definition.fields[source];
      const known = source === 'id' || (from && from.type !== 'computed' && !from.options.virtual);
      if (!known && !['created_at', 'updated_at'].includes(source))
        complain(where, `from: there is no stored field "${source}".`);
    }
    if (!compute) complain(where, 'a computed field needs a function.');
  }
  if (type === 'reference' && !all.has(target ?? '')) {
    complain(where, `there is no resource "${target}" to refer to. There are: ${[...all.keys()].join(', ')}.`);
  }
  if (options.onDelete === 'set null' && options.required) {
    complain(where, "onDelete: 'set null' needs a field that may be null; drop `required`, or choose another.");
  }
  const unordered = type === 'json' || type === 'computed' || options.virtual;
  if (unordered && (searchable || sortable || unique)) {
    complain(where, 'it can be neither searchable, sortable nor unique; leave those out.');
  }
  if (type === 'list' && (sortable || unique)) complain(where, 'a list can be neither sortable nor unique.');
  if (type === 'text' && unique && (max ?? 255) > indexableMax) {
    complain(where, `it is too long to be unique; give it a max of at most ${indexableMax}.`);
  }
  if ((options.hidden || options.writeOnly) && (searchable || sortable)) {
    complain(where, 'what is never shown could be guessed by searching or sorting; leave searchable and sortable out.');
  }
  if (options.virtual && !options.writeOnly) complain(where, 'a virtual field is never shown: say `writeOnly: true`.');
  checkDefault(where, { type, options }, complain);
}

function checkDefault(where: string, { type, options }: Field, complain: Complain): void {
  const value = options.default;
  if (value === undefined || typeof value === 'function' || type === 'computed') return;
  const refusal =
    value === null
      ? { says: 'is what a field without `required` and default holds anyway; leave it out' }
      : kindOf(type).check(value, options);
  if (refusal) complain(where, `default: ${JSON.stringify(value)} ${refusal.says}.`);
}
