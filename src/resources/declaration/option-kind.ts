import { isObject } from '../../platform/is-object.ts';

export interface OptionKind {
  /** Ends the sentence "expected …". */
  readonly expected: string;
  accepts(value: unknown): boolean;
}

/** The known options and their kinds, for the checks and the reference. */
export type OptionKinds<Options = Record<string, unknown>> = Readonly<Record<keyof Options & string, OptionKind>>;

export const flag: OptionKind = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
export const textOption: OptionKind = { expected: 'a text', accepts: (value) => typeof value === 'string' };
export const amount: OptionKind = { expected: 'a number', accepts: (value) => Number.isFinite(value) };
export const callback: OptionKind = { expected: 'a function', accepts: (value) => typeof value === 'function' };
export const members = (example: string): OptionKind => ({
  expected: `an object such as ${example}`,
  accepts: isObject,
});
/** A TypeBox schema has a keyword such as `type` or `anyOf`. */
export const schema: OptionKind = {
  expected: 'a TypeBox schema, such as Type.Object({ … })',
  accepts: (value) => isObject(value) && (Object.keys(value).length === 0 || hasSchemaKeyword(value)),
};
const hasSchemaKeyword = (value: object): boolean =>
  ['type', 'properties', 'items', 'anyOf', 'allOf', 'oneOf', 'not', 'const', 'enum', '$ref', '~kind'].some(
    (keyword) => keyword in value,
  );
export const expression: OptionKind = {
  expected: 'a regular expression without the flags g and y, such as /^[A-Z]+$/',
  // With these flags, each test begins where the previous one ended.
  accepts: (value) => value instanceof RegExp && !value.global && !value.sticky,
};
export const texts: OptionKind = {
  expected: 'a list of texts',
  accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};
/** A value that a separate rule checks. */
export const anything: OptionKind = { expected: 'a value', accepts: () => true };
export const oneOfValues = (...allowed: readonly unknown[]): OptionKind => ({
  expected: `one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`,
  accepts: (value) => allowed.includes(value),
});
export const successStatus: OptionKind = {
  expected: 'a status from 200 to 299',
  accepts: (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 299,
};
