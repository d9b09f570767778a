import type { FieldDescription, ResourceDescription } from '../descriptions.ts';
import { fieldLabel } from '../presentation.ts';
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
    if (isLeftOut && field.required && id === undefined) problems.push(`${fieldLabel(field)} is missing.`);
    if (raw === undefined || (raw === '' && id === undefined) || (id !== undefined && field.immutable)) continue;
    const { value, problem } = fieldValue(field, raw);
    if (problem) problems.push(`${fieldLabel(field)} ${problem}`);
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

function readAs({ type, values }: FieldDescription, raw: unknown): Read {
  if (typeof raw !== 'string') return { value: raw };
  switch (type) {
    case 'integer':
    case 'number':
      return Number.isFinite(Number(raw)) ? { value: Number(raw) } : { problem: `is no number: “${raw}”.` };
    case 'boolean':
      if (/^(true|yes|1)$/i.test(raw)) return { value: true };
      return /^(false|no|0)$/i.test(raw) ? { value: false } : { problem: `is neither true nor false: “${raw}”.` };
    case 'enum':
      return values?.includes(raw) ? { value: raw } : { problem: `is none of ${values?.join(', ')}: “${raw}”.` };
    case 'list':
      return { value: raw.startsWith('[') ? parsed(raw) : raw.split(/[;,]/).map((item) => item.trim()) };
    case 'json':
      return parsed(raw) === undefined ? { problem: 'is no JSON.' } : { value: parsed(raw) };
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

function outOfBounds({ type, min, max, pattern, hint }: FieldDescription, value: unknown): Read | undefined {
  if (typeof value === 'number') {
    if (min !== undefined && value < min) return { problem: `is less than ${min}.` };
    if (max !== undefined && value > max) return { problem: `is more than ${max}.` };
    return undefined;
  }
  if (type !== 'text' || typeof value !== 'string') return undefined;
  if (max !== undefined && value.length > max) return { problem: `has more than ${max} characters.` };
  if (pattern !== undefined && !new RegExp(pattern).test(value)) {
    return { problem: `does not have the right form${hint ? `: ${hint}` : '.'}` };
  }
  return undefined;
}
