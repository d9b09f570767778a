import { unprocessable } from '../platform/errors.ts';
import { readProfileField, unknownField } from './accounts/user-fields.ts';

type Body = Readonly<Record<string, unknown>>;

/** The only allowed field of a body. Other fields are rejected. */
export function readSingleField(body: Body, field: string): unknown {
  const unknown = Object.keys(body).filter((name) => name !== field);
  if (unknown.length > 0) throw unprocessable(unknown.map(unknownField));
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
