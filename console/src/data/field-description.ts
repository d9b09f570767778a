import type { AnyOptions } from '../../../src/resources/declaration/fields/field.ts';

/** A field of a resource, as `GET /v1/resources` describes it. */
export interface FieldDescription extends Omit<AnyOptions, 'target' | 'pattern'> {
  name: string;
  type: string;
  /** The resource whose ids it holds. */
  references?: string;
  pattern?: string;
}
