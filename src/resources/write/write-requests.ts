import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { Selection } from '../read/remembered.ts';
import type { IdempotencyKey } from './idempotency.ts';
import type { Values } from './read-input.ts';

export interface WriteRequest {
  readonly call: Call;
  readonly body: unknown;
  readonly isForm: boolean;
  /** The service itself writes: it may set what is read-only or hidden. */
  readonly asService?: boolean;
  /** How the answer shows the row. */
  readonly selection: Selection;
}

export interface CreateRequest extends WriteRequest {
  /** Values that the path gives. */
  readonly fixed?: Values;
  readonly key: IdempotencyKey | undefined;
  /** Ties the new row to a parent in the same transaction: the link's resource and its values. */
  readonly link?: { resource: Resource; values: (id: string) => Values };
}

export interface ChangeRequest extends WriteRequest {
  readonly id: string;
  readonly mode: 'replace' | 'update';
  readonly ifMatch: string | undefined;
  readonly key?: IdempotencyKey | undefined;
}
