/** The types that `gatehouse types` writes for one resource. */
export interface ResourceTypes {
  row: object;
  /** The body of POST. */
  input: object;
  /** The body of PUT. */
  replacement: object;
  /** The values that only the response to POST contains, beside the row. */
  created: object;
  /** Names of searchable and sortable fields. */
  search: string;
  order: string;
  /** Names of fields for sums, for minimum and maximum, and for grouping. */
  aggregates: { sum: string; range: string; group: string };
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
