import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { fieldLabel } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import type { FileRow } from './read-file.ts';

export interface CheckedRow {
  number: number;
  /** Of a row that is there already. */
  id: string | undefined;
  values: Record<string, unknown>;
  /** What is wrong with it, as far as can be said without asking the service. */
  problems: string[];
}

const writable = ({ fields }: ResourceDescription): FieldDescription[] => fields.filter(({ readOnly }) => !readOnly);

/** Columns of a file that no field takes: they are left out. What the service sets itself may be in it. */
export const leftOut = ({ fields }: ResourceDescription, columns: readonly string[]): string[] =>
  columns.filter((column) => column !== 'id' && !fields.some(({ name, label }) => name === column || label === column));

/** A row of a file as values of fields. */
export function checkRow(description: ResourceDescription, { number, values: given }: FileRow): CheckedRow {
  const id = typeof given.id === 'string' && given.id !== '' ? given.id : undefined;
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const field of writable(description)) {
    const raw = given[field.name] ?? (field.label === undefined ? undefined : given[field.label]);
    const isLeftOut = raw === undefined || raw === '';
    if (isLeftOut && field.required && id === undefined)
      problems.push(say('{field} is missing.', { field: fieldLabel(field) }));
    if (raw === undefined || (raw === '' && id === undefined) || (id !== undefined && field.immutable)) continue;
    const { value, problem } = fieldValue(field, raw);
    if (problem) problems.push(problem);
    else values[field.name] = value;
  }
  return { number, id, values, problems };
}

interface Read {
  value?: unknown;
  problem?: string;
}

function fieldValue(field: FieldDescription, raw: unknown): Read {
  if (raw === '' || raw === null) return { value: null };
  const read = readAs(field, raw);
  return read.problem ? read : (outOfBounds(field, read.value) ?? read);
}

function readAs(of: FieldDescription, raw: unknown): Read {
  if (typeof raw !== 'string') return { value: raw };
  const { type, values } = of;
  const wrong = { field: fieldLabel(of), value: raw };
  switch (type) {
    case 'integer':
    case 'number':
      return Number.isFinite(Number(raw))
        ? { value: Number(raw) }
        : { problem: say('{field} is no number: “{value}”.', wrong) };
    case 'boolean':
      if (/^(true|yes|1)$/i.test(raw)) return { value: true };
      return /^(false|no|0)$/i.test(raw)
        ? { value: false }
        : { problem: say('{field} is neither true nor false: “{value}”.', wrong) };
    case 'enum':
      return values?.includes(raw)
        ? { value: raw }
        : { problem: say('{field} is none of {values}: “{value}”.', { ...wrong, values: values?.join(', ') }) };
    case 'list':
      return { value: raw.startsWith('[') ? parsed(raw) : raw.split(/[;,]/).map((item) => item.trim()) };
    case 'json':
      return parsed(raw) === undefined ? { problem: say('{field} is no JSON.', wrong) } : { value: parsed(raw) };
    default:
      return { value: raw };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function outOfBounds(of: FieldDescription, value: unknown): Read | undefined {
  const { type, min, max, pattern, hint } = of;
  const field = fieldLabel(of);
  if (typeof value === 'number') {
    if (min !== undefined && value < min)
      return { problem: say('{field} is less than {min, number}.', { field, min }) };
    if (max !== undefined && value > max)
      return { problem: say('{field} is more than {max, number}.', { field, max }) };
    return undefined;
  }
  if (type !== 'text' || typeof value !== 'string') return undefined;
  if (max !== undefined && value.length > max)
    return { problem: say('{field} has more than {max, number} characters.', { field, max }) };
  if (pattern !== undefined && !new RegExp(pattern).test(value)) {
    return {
      problem: hint
        ? say('{field} does not have the right form: {hint}', { field, hint: say(hint) })
        : say('{field} does not have the right form.', { field }),
    };
  }
  return undefined;
}
