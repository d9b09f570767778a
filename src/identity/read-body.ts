import { unprocessable } from '../platform/errors.ts';
import { readProfileField, unknownField } from './accounts/user-fields.ts';

type Body = Readonly<Record<string, unknown>>;

export function rejectUnknownFields(body: Body, known: readonly string[]): void {
  const unknown = Object.keys(body).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw unprocessable(unknown.map(unknownField));
}

/** The only allowed field of a body. Other fields are rejected. */
export function readSingleField(body: Body, field: string): unknown {
  rejectUnknownFields(body, [field]);
  return body[field];
}

/** The stored form of `email`. Undefined only if `optional` and omitted. */
export function readEmailField(body: Body): string;
export function readEmailField(body: Body, options: { optional: boolean }): string | undefined;
export function readEmailField(body: Body, { optional = false } = {}): string | undefined {
  const read = readProfileField('email', readSingleField(body, 'email'));
  if (read.error) throw unprocessable([read.error]);
  if (read.value === null && !optional) {
    throw unprocessable([{ field: 'email', code: 'required', message: 'email is required.' }]);
  }
  return read.value ?? undefined;
}
