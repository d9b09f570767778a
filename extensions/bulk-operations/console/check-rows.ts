import { chunk } from 'es-toolkit/array';
import type { RaRecord } from 'react-admin';
import { gatehouse } from '../../../console/src/data/api.ts';
import type { FieldDescription, ResourceDescription } from '../../../console/src/data/descriptions.ts';
import { waitForCapacity } from '../../../console/src/data/request-limit.ts';
import { rulesOf } from '../../../console/src/forms/rules-of.ts';
import { i18nProvider } from '../../../console/src/text/i18n-provider.ts';
import { translate } from '../../../console/src/text/translate.ts';
import type { FileRow } from './read-rows.ts';
import type { Operation } from './run-bulk.ts';

type Descriptions = ReadonlyMap<string, ResourceDescription>;

export interface CheckedRow extends FileRow {
  /** The id of the existing row to change. */
  id: string | undefined;
  data: Record<string, unknown>;
  /** The problems, by the name of the field. */
  problems: Record<string, string>;
  /** The current version of that row. */
  before: RaRecord | undefined;
  /** The fields that the person has corrected. */
  corrected?: ReadonlySet<string>;
  /** The person leaves the row out. */
  isSkipped?: boolean | undefined;
}

export const isWrong = ({ problems }: CheckedRow): boolean => Object.keys(problems).length > 0;

/** The value of a field in a row of a file: by its name or by its label. */
export const cellOf = ({ name, label }: FieldDescription, values: FileRow['values']): unknown =>
  values[name] ?? (label === undefined ? undefined : values[label]);

/** The fields in the file, and the columns of the file that are not fields. */
export function columnsIn({ fields }: ResourceDescription, rows: readonly FileRow[]) {
  const columns = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const isOf = (column: string) => (field: FieldDescription) => field.name === column || field.label === column;
  return {
    shown: fields.filter((field) => !field.readOnly && columns.some((column) => isOf(column)(field))),
    unknown: columns.filter((column) => column !== 'id' && !fields.some(isOf(column))),
  };
}

/** Checks rows with the rules of the form, then asks the service about ids, references and unique values. Changes nothing. */
export async function checkRows(description: ResourceDescription, rows: readonly FileRow[], all: Descriptions) {
  const checked = rows.map((row) => checkRow(description, row));
  for (const batch of chunk(checked, 100)) await lookUp(description, batch, all);
  return checked;
}

function checkRow({ fields }: ResourceDescription, { number, values }: FileRow): CheckedRow {
  const id = typeof values.id === 'string' && values.id !== '' ? values.id : undefined;
  const data: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields.filter(({ readOnly, immutable }) => !readOnly && !(id !== undefined && immutable))) {
    const raw = cellOf(field, values);
    // An empty cell means the default for a new row, and no value for an existing row.
    const isAbsent = raw === undefined || (raw === '' && id === undefined);
    if (isAbsent && id !== undefined) continue;
    const value = raw === '' || raw === null ? null : read(field, raw);
    const problem = value instanceof Problem ? value.message : problemOf(field, isAbsent ? null : value);
    if (problem) problems[field.name] = problem;
    else if (!isAbsent) data[field.name] = value;
  }
  return { number, values, id, data, problems, before: undefined };
}

class Problem extends Error {}

/** Converts a cell of a CSV file to the type of its field. */
function read({ type, values }: FieldDescription, raw: unknown): unknown {
  if (typeof raw !== 'string') return raw;
  switch (type) {
    case 'integer':
    case 'number':
      return Number.isFinite(Number(raw)) ? Number(raw) : new Problem(translate('This is not a number.'));
    case 'boolean':
      if (/^(true|yes|1)$/i.test(raw)) return true;
      return /^(false|no|0)$/i.test(raw) ? false : new Problem(translate('Use true or false.'));
    case 'enum':
      return values?.includes(raw)
        ? raw
        : new Problem(translate('Use one of: {values}.', { values: values?.join(', ') }));
    case 'list':
      return raw.startsWith('[') ? parsed(raw) : raw.split(/[;,]/).map((item) => item.trim());
    case 'json':
      return parsed(raw);
    default:
      return raw;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return new Problem(translate('This is not JSON.'));
  }
}

function problemOf(field: FieldDescription, value: unknown): string | undefined {
  for (const rule of rulesOf(field)) {
    const problem = rule(value, {}, {}) as string | { message: string; args: object } | undefined;
    const { message, args } = typeof problem === 'object' ? problem : { message: problem, args: {} };
    if (message) return i18nProvider.translate(message, args);
  }
  return undefined;
}

/** Asks the service which ids exist, which referenced rows exist, and which unique values are taken. */
async function lookUp({ name, fields }: ResourceDescription, batch: readonly CheckedRow[], descriptions: Descriptions) {
  const pluck = (pick: (row: CheckedRow) => unknown) => batch.map(pick);
  const ids = pluck(({ id }) => id);
  const existing = await find(descriptions, name, 'id', ids);
  for (const row of batch.filter(({ id }) => id !== undefined)) {
    row.before = existing.get(String(row.id));
    if (!row.before) row.problems.id = translate('There is no row with this id.');
  }
  for (const field of fields) {
    const valueIn = ({ data }: CheckedRow) => data[field.name];
    const rows = batch.filter((row) => typeof valueIn(row) === 'string');
    if (field.references !== undefined) {
      const referencedRows = await find(descriptions, field.references, 'id', pluck(valueIn));
      for (const row of rows)
        if (!referencedRows.has(String(valueIn(row)))) row.problems[field.name] = translate('This row does not exist.');
    } else if (field.unique && field.searchable) {
      const rowsByValue = await find(descriptions, name, field.name, pluck(valueIn));
      for (const row of rows) {
        const owner = rowsByValue.get(String(valueIn(row)));
        if (owner && owner.id !== row.id) row.problems[field.name] = translate('This value is taken.');
      }
    }
  }
}

async function find(descriptions: Descriptions, resource: string, field: string, values: readonly unknown[]) {
  const isUuid = descriptions.get(resource)?.fields.some(({ name, type }) => name === field && type === 'uuid');
  // The service refuses to search a UUID field for another text.
  const canExist = (value: string) => value !== '' && (!isUuid || uuid.test(value));
  const uniqueValues = [...new Set(values.filter((value) => typeof value === 'string').filter(canExist))];
  if (uniqueValues.length === 0) return new Map();
  await waitForCapacity();
  const rows = gatehouse.resource<RaRecord>(resource);
  const { data } = await rows.list({ search: { [field]: uniqueValues }, limit: 100, count: 'none' });
  return new Map(data.map((row) => [String(row[field]), row]));
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A row with an id changes the existing row with that id. */
export const operationOf = ({ id, data }: CheckedRow): Operation =>
  id === undefined ? { operation: 'create', data } : { operation: 'update', id, data };
