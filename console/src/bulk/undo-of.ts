import type { Answer, Operation } from './run-bulk.ts';

type Row = Record<string, unknown>;

/** The operation that undoes a write. Empty if that is not possible. A row that has changed since then is not changed. */
export function undoOf(
  operation: Operation,
  before: Row | undefined,
  { data: after, etag }: Answer,
  softDelete = false,
): Operation[] {
  if (operation.operation === 'create') {
    const id = (after as Row | undefined)?.id;
    return typeof id === 'string' ? [{ operation: 'delete', id }] : [];
  }
  if (operation.operation === 'delete' && softDelete) return [{ operation: 'restore', id: operation.id }];
  if (operation.operation !== 'update' || !before) return [];
  const data = Object.fromEntries(Object.keys(operation.data).map((name) => [name, before[name] ?? null]));
  return [{ operation: 'update', id: operation.id, data, ...(etag && { if_match: etag }) }];
}
