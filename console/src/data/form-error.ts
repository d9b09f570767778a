import { GatehouseError } from '../../../client/errors.ts';
import { say } from '../text/say.ts';

/** An error as react-admin's forms take it: with `body.errors` by field. */
export class FormError extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: { errors?: Record<string, string> };

  constructor(message: string, cause: GatehouseError, errors?: Record<string, string>) {
    super(message, { cause });
    this.status = cause.status;
    this.code = cause.code;
    this.body = errors ? { errors } : {};
  }
}

/** Somebody else wrote the row since it was read: nothing was saved. */
export class ConflictError extends FormError {
  /** The row as it was read. */
  readonly before: Record<string, unknown>;
  /** The changes that were refused. */
  readonly changes: Record<string, unknown>;

  constructor(cause: GatehouseError, before: Record<string, unknown>, changes: Record<string, unknown>) {
    super(say('Somebody else changed this in the meantime. Nothing was saved.'), cause);
    this.before = before;
    this.changes = changes;
  }
}

export function forForm(error: unknown): never {
  if (!(error instanceof GatehouseError) || error.fields.length === 0) throw error;
  const errors: Record<string, string> = {};
  for (const { field, message } of error.fields) errors[field] ??= message;
  throw new FormError(error.fields.map(({ message }) => message).join(' '), error, errors);
}
