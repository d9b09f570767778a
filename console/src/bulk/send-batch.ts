import { gatehouse } from '../data/api.ts';
import type { Answer, Operation } from './run-bulk.ts';

const restored = (rows: ReturnType<typeof gatehouse.resource>, id: string): Promise<Answer> =>
  rows.restore(id).then(
    ({ data, etag }) => ({ status: 200, data, ...(etag && { etag }) }),
    (error: Answer['error']) => ({ status: error?.status ?? 0, ...(error && { error }) }),
  );

/** Sends operations of one kind in one request. */
export function sendBatch(resource: string, operations: readonly Operation[]): Promise<Answer[]> {
  const rows = gatehouse.resource(resource);
  const all = <K extends Operation['operation']>(kind: K) =>
    operations.filter((one): one is Extract<Operation, { operation: K }> => one.operation === kind);
  // The API has no batch of restorations. Only an undo restores rows.
  if (operations[0]?.operation === 'restore')
    return Promise.all(operations.flatMap((one) => ('id' in one ? [one.id] : [])).map((id) => restored(rows, id)));
  switch (operations[0]?.operation) {
    case 'create':
      return rows.createAll(all('create').map(({ data }) => data));
    case 'update':
      return rows.patchAll(all('update').map(({ operation: _, data, ...row }) => ({ ...data, ...row })));
    default:
      return rows.removeAll(operations.flatMap((one) => ('id' in one ? [one.id] : [])));
  }
}
