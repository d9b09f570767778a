/** A field of a resource, as `GET /v1/resources` describes it. */
export interface FieldDescription {
  name: string;
  type: string;
  label?: string;
  description?: string;
  /** A help text by the operator. */
  hint?: string;
  example?: unknown;
  required?: boolean;
  readOnly?: boolean;
  writeOnly?: boolean;
  /** It can be set when a row is created, but not changed afterwards. */
  immutable?: boolean;
  searchable?: boolean;
  sortable?: boolean;
  unique?: boolean;
  values?: string[];
  /** The resource whose ids it holds. */
  references?: string;
  /** The effect on this row when the row that it refers to is deleted. */
  onDelete?: 'restrict' | 'cascade' | 'set null';
  default?: unknown;
  min?: number;
  max?: number;
  /** For decimals: the total number of digits, and the number after the point. */
  precision?: number;
  scale?: number;
  pattern?: string;
}
