import { gatehouse } from '../data/api.ts';
import type { Answer, Operation } from './run-bulk.ts';

/** Sends operations of one kind in one request. */
export function sendBatch(resource: string, operations: readonly Operation[]): Promise<Answer[]> {
  const rows = gatehouse.resource(resource);
  const all = <K extends Operation['operation']>(kind: K) =>
    operations.filter((one): one is Extract<Operation, { operation: K }> => one.operation === kind);
  switch (operations[0]?.operation) {
    case 'create':
      return rows.createAll(all('create').map(({ data }) => data));
    case 'update':
      return rows.patchAll(all('update').map(({ operation: _, data, ...row }) => ({ ...data, ...row })));
    default:
      return rows.removeAll(all('delete').map(({ id }) => id));
  }
}
