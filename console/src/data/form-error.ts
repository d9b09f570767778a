import { GatehouseError } from '../../../client/errors.ts';
import { translate } from '../text/translate.ts';

/** An error in the format of react-admin's forms: `body.errors` has the errors by field. */
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

/** Another person changed the row after it was read, so nothing was saved. */
export class ConflictError extends FormError {
  /** The row as it was read. */
  readonly before: Record<string, unknown>;
  /** The changes that were rejected. */
  readonly changes: Record<string, unknown>;

  constructor(cause: GatehouseError, before: Record<string, unknown>, changes: Record<string, unknown>) {
    super(translate('Somebody else changed this in the meantime. Nothing was saved.'), cause);
    this.before = before;
    this.changes = changes;
  }
}

export function throwFormError(error: unknown): never {
  if (!(error instanceof GatehouseError) || error.fields.length === 0) throw error;
  const errors: Record<string, string> = {};
  for (const { field, message } of error.fields) errors[field] ??= message;
  throw new FormError(error.fields.map(({ message }) => message).join(' '), error, errors);
}
