import { shown } from '../../http/errors/parameter-errors.ts';
import { badRequest, type FieldError, mostFieldErrors, unprocessable } from '../../platform/errors.ts';
import type { Resource } from '../model/resource.ts';
import { fieldError } from './read-input.ts';

const batchOperations = ['create', 'replace', 'update', 'delete'] as const;

export interface BatchOperation {
  readonly operation: (typeof batchOperations)[number];
  /** The row's own, whichever of its names was sent; a new one has none yet. */
  readonly id: string | undefined;
  readonly data: Record<string, unknown> | undefined;
  readonly ifMatch: string | undefined;
}

/** One request does no more than that, so that nobody waits long for it. */
export const mostOperations = 100;

const members = ['operation', 'id', 'data', 'if_match'];
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const offeredInBatch = ({ definition: { operations } }: Resource) =>
  batchOperations.filter((operation) => operations?.includes(operation) ?? true);

/** What a batch asks for. One that cannot be read does nothing; what is wrong with a row is said of that row alone. */
export function readBatch(resource: Resource, body: unknown, idOf: (name: string) => string): BatchOperation[] {
  if (!isObject(body) || !Array.isArray(body.operations)) {
    throw badRequest('Send {"operations": […]}, a list of operations.', 'body_invalid');
  }
  const [other] = Object.keys(body).filter((name) => name !== 'operations');
  const errors: FieldError[] = other === undefined ? [] : [fieldError(other.slice(0, 100), 'unknown', 'is not known')];
  const list: unknown[] = body.operations;
  if (list.length === 0 || list.length > mostOperations) {
    errors.push(fieldError('operations', 'range', `takes 1 to ${mostOperations} operations`));
  }
  const seen = new Set<string>();
  const read = list.slice(0, mostOperations).map((item, index) => {
    if (errors.length >= mostFieldErrors) return undefined;
    return readOperation(resource, item, { where: `operations.${index}`, idOf, seen, errors });
  });
  if (errors.length > 0) throw unprocessable(errors);
  return read as BatchOperation[];
}

interface Reading {
  readonly where: string;
  readonly idOf: (name: string) => string;
  /** Ids that the batch has named before. */
  readonly seen: Set<string>;
  readonly errors: FieldError[];
}

function readOperation(
  resource: Resource,
  item: unknown,
  { where, idOf, seen, errors }: Reading,
): BatchOperation | undefined {
  const wrong = (name: string, code: string, says: string) => void errors.push(fieldError(name, code, says));
  if (!isObject(item)) return wrong(where, 'type', 'must be an object');
  const { operation, data, if_match: ifMatch } = item;
  const id = typeof item.id === 'string' ? idOf(item.id) : item.id;
  const unknown = Object.keys(item).find((name) => !members.includes(name));
  if (unknown !== undefined) wrong(where, 'unknown', `has no ${shown(unknown)}; it takes ${members.join(', ')}`);
  const offered = offeredInBatch(resource);
  if (!offered.includes(operation as BatchOperation['operation'])) {
    return wrong(`${where}.operation`, 'enum', `must be one of ${offered.join(', ')}`);
  }
  const makes = operation === 'create';
  if (makes ? id !== undefined : typeof id !== 'string') {
    wrong(`${where}.id`, 'type', makes ? 'is given by the service' : 'must be the id of a row');
  }
  if (data === undefined ? operation !== 'delete' : !isObject(data))
    wrong(`${where}.data`, 'type', 'must be an object');
  if (ifMatch !== undefined && (makes || typeof ifMatch !== 'string')) {
    wrong(`${where}.if_match`, 'type', makes ? 'is for rows that are there' : 'must be an ETag');
  }
  // Several are under way at once: which of two came first would be chance.
  if (typeof id === 'string' && seen.has(id)) wrong(`${where}.id`, 'duplicate', 'is named twice in this batch');
  if (typeof id === 'string') seen.add(id);
  return { operation, id, data, ifMatch } as BatchOperation;
}
