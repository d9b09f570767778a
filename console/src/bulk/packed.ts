/** What is to be done with one row. */
export type Operation =
  | { operation: 'create'; data: object }
  | { operation: 'update'; id: string; data: object }
  | { operation: 'delete'; id: string };

/** One row, and what is to be done with it. */
export interface Task<Row> {
  row: Row;
  operation: Operation;
}

/** The service takes no more in one request: operations, members of JSON, and characters. */
const most = { operations: 100, members: 950, characters: 900_000 };

/** Members and items at every depth, as the service counts them. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>((sum, item) => sum + membersOf(item), inner.length);
}

/** Tasks in batches that the service takes. No row is in one twice. */
export async function* packed<Row>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  taskOf: (row: Row) => Task<Row>,
): AsyncGenerator<Task<Row>[], void> {
  let batch: Task<Row>[] = [];
  let members = 0;
  let characters = 0;
  const ids = new Set<string>();
  for await (const row of rows) {
    const task = taskOf(row);
    const { operation } = task;
    const more = { members: membersOf(operation) + 1, characters: JSON.stringify(operation).length + 1 };
    const isFull =
      batch.length === most.operations ||
      members + more.members > most.members ||
      characters + more.characters > most.characters ||
      ('id' in operation && ids.has(operation.id));
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      members = 0;
      characters = 0;
      ids.clear();
    }
    batch.push(task);
    members += more.members;
    characters += more.characters;
    if ('id' in operation) ids.add(operation.id);
  }
  if (batch.length > 0) yield batch;
}
