import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { Selection } from '../read/resource-cache.ts';
import type { IdempotencyKey } from './idempotency.ts';
import type { Values } from './read-input.ts';

export interface WriteRequest {
  readonly call: Call;
  readonly body: unknown;
  readonly isForm: boolean;
  /** The service itself is the caller. It may set read-only and hidden fields. */
  readonly asService?: boolean;
  /** The fields and includes of the response. */
  readonly selection: Selection;
}

export interface CreateRequest extends WriteRequest {
  /** Values from the path. */
  readonly fixed?: Values;
  readonly key: IdempotencyKey | undefined;
  /** Links the new row to a parent in the same transaction: the linking resource and its values. */
  readonly link?: { resource: Resource; values: (id: string) => Values };
}

export interface ChangeRequest extends WriteRequest {
  readonly id: string;
  readonly mode: 'replace' | 'update';
  readonly ifMatch: string | undefined;
  readonly key?: IdempotencyKey | undefined;
}
