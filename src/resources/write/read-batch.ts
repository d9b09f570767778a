import { badRequest, type FieldError, maxFieldErrors, unprocessable } from '../../platform/errors.ts';
import { isObject } from '../../platform/is-object.ts';
import type { Resource } from '../model/resource.ts';
import { splitList } from '../query/split-list.ts';
import { fieldError } from './read-input.ts';

/** The method determines the operation, as for a single row. */
export const batchMethods = { create: 'POST', update: 'PATCH', delete: 'DELETE' } as const;

export type BatchOperation = keyof typeof batchMethods;

export interface BatchRow {
  /** The id of the row, even if the batch names an alias. Undefined for a new row. */
  readonly id: string | undefined;
  readonly data: Record<string, unknown> | undefined;
  readonly ifMatch: string | undefined;
}

/** The maximum number of rows in one request, so that other requests do not wait long for it. */
export const maxRows = 100;

export const batchesOf = ({ definition: { operations } }: Resource): BatchOperation[] =>
  (Object.keys(batchMethods) as BatchOperation[]).filter((operation) => operations?.includes(operation) ?? true);

/** Reads a batch. If it cannot be parsed, nothing is written. Invalid values of a row are reported for that row alone. */
export function readBatch(operation: BatchOperation, body: unknown, idOf: (name: string) => string): BatchRow[] {
  const member = operation === 'delete' ? 'ids' : 'rows';
  const submitted = isObject(body) ? body[member] : undefined;
  // A form cannot contain lists, so ids are separated by commas: ids=1,2
  const list = operation === 'delete' && typeof submitted === 'string' ? splitList(submitted, ',') : submitted;
  if (!isObject(body) || !Array.isArray(list)) {
    throw badRequest(`Send {"${member}": […]}, a list of ${member}.`, 'body_invalid');
  }
  const [unknownMember] = Object.keys(body).filter((name) => name !== member);
  const errors: FieldError[] =
    unknownMember === undefined ? [] : [fieldError(unknownMember.slice(0, 100), 'unknown', 'is not known')];
  if (list.length === 0 || list.length > maxRows) {
    errors.push(fieldError(member, 'range', `takes 1 to ${maxRows} ${member}`));
  }
  const reject = (path: string, code: string, message: string): undefined => {
    errors.push(fieldError(path, code, message));
  };
  const seenIds = new Set<string>();
  const readId = (submittedId: unknown, path: string): string | undefined => {
    if (typeof submittedId !== 'string') return reject(path, 'type', 'must be the id of a row');
    const id = idOf(submittedId);
    // Rows are written concurrently, so the order of two writes to one row would be undefined.
    if (seenIds.has(id)) reject(path, 'duplicate', 'is named twice in this batch');
    seenIds.add(id);
    return id;
  };
  const rows = list.slice(0, maxRows).map((item, index): BatchRow | undefined => {
    if (errors.length >= maxFieldErrors) return undefined;
    if (operation === 'delete') return { id: readId(item, `ids.${index}`), data: undefined, ifMatch: undefined };
    const path = `rows.${index}`;
    if (!isObject(item)) return reject(path, 'type', 'must be an object');
    if (operation === 'create') return { id: undefined, data: item, ifMatch: undefined };
    const { id, if_match: submittedTag, ...data } = item;
    const ifMatch = typeof submittedTag === 'string' ? submittedTag : undefined;
    if (ifMatch !== submittedTag) reject(`${path}.if_match`, 'type', 'must be an ETag');
    return { id: readId(id, `${path}.id`), data, ifMatch };
  });
  if (errors.length > 0) throw unprocessable(errors);
  return rows as BatchRow[];
}
