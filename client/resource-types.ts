/** What `gatehouse types` writes of one resource. */
export interface ResourceTypes {
  row: object;
  /** What POST takes. */
  input: object;
  /** What PUT takes. */
  replacement: object;
  /** The values that only the response to POST contains, beside the row. */
  created: object;
  /** Names of fields that a search and an order may name. */
  search: string;
  order: string;
  /** Names of fields that can be added up, have a smallest and a largest value, and that rows can be grouped by. */
  figures: { sum: string; range: string; group: string };
  /** Whether deleted rows are kept. */
  softDelete: boolean;
  relations: Record<string, { resource: string; many: boolean; by?: string }>;
  actions: ActionTypes;
}

interface ActionTypes {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  on: 'row' | 'collection';
  body: unknown;
  result: unknown;
}
