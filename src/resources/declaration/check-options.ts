import { nearest } from '../../platform/nearest.ts';
import type { Complain } from './complaints.ts';
import type { OptionKinds } from './option-kind.ts';

/** `Did you mean …? There are: …`, after the sentence that says what is not there. */
export function nearestOf(name: string, known: Iterable<string>): string {
  const names = [...known];
  const near = nearest(name, names);
  return `${near ? ` Did you mean "${near}"?` : ''} There are: ${names.join(', ')}.`;
}

/** Options that nobody knows, and values that an option does not take. Returns whether those that are known can be used. */
export function checkOptions(where: string, given: object, known: OptionKinds, complain: Complain): boolean {
  let usable = true;
  for (const [name, value] of Object.entries(given)) {
    const path = where === '' ? name : `${where}.${name}`;
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind && (value === undefined || kind.accepts(value))) continue;
    usable &&= kind === undefined;
    if (kind) complain(path, `it takes ${kind.takes}; this is ${shown(value)}.`);
    else complain(path, `"${name}" is not known here.${nearestOf(name, Object.keys(known))}`);
  }
  return usable;
}

/** A name as the API writes it: `pageCount` is `page_count`. */
export const asName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

/** A value of a declaration, in a message. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (value instanceof RegExp) return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
