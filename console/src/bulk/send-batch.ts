import type { Result, RowPatch } from '../../../client/resource.ts';
import { gatehouse } from '../data/api.ts';
import type { Operation } from './packed.ts';
import { type Answer, refusedAll } from './run-bulk.ts';

type Of<K extends Operation['operation']> = Extract<Operation, { operation: K }>;

/** Sends one request for each kind of operation, one after the other. The answers are in the order of the operations. */
export async function sendBatch(resource: string, operations: readonly Operation[]): Promise<Answer[]> {
  const rows = gatehouse.resource(resource);
  const answers: Answer[] = [];
  async function send<K extends Operation['operation']>(
    kind: K,
    request: (list: Of<K>[]) => Promise<Result<unknown>[]>,
  ): Promise<void> {
    const indexes = [...operations.keys()].filter((index) => operations[index]?.operation === kind);
    if (indexes.length === 0) return;
    const list = indexes.map((index) => operations[index] as Of<K>);
    // A request that fails says nothing about the rows of the request before it.
    const results = await request(list).catch((error: unknown) => refusedAll(error, list));
    for (const [n, index] of indexes.entries()) answers[index] = results[n] as Answer;
  }
  await send('create', (list) => rows.createAll(list.map(({ data }) => data)));
  await send('update', (list) => rows.patchAll(list.map(({ id, data }): RowPatch => ({ ...data, id }))));
  await send('delete', (list) => rows.removeAll(list.map(({ id }) => id)));
  return answers;
}
