import { Compile } from 'typebox/schema';
import { Setting, texts } from './setting.ts';

/** A type of `authorization_details` (RFC 9396 2) whose objects must conform to a JSON Schema. */
export interface CheckedType {
  /** For the consent page. */
  readonly text: string;
  readonly schema: { readonly type: 'object'; readonly [keyword: string]: unknown };
}

/** The types by their names, each with its text for the consent page. */
export type AuthorizationDetailsTypes = Readonly<Record<string, string | CheckedType>>;

export const typeDescription = (type: string | CheckedType): string => (typeof type === 'string' ? type : type.text);

const textsSetting = texts(
  'types with their texts, such as payment_initiation=Make this payment. In the file a text can be { text, schema }, with a schema of the type object',
  (type, text) => /^[a-zA-Z][\w.:/-]{0,199}$/.test(type) && /^[^\p{Cc}\p{Cf}]{1,200}$/u.test(text),
);

export const authorizationDetailsTypes = new Setting<AuthorizationDetailsTypes>(
  textsSetting.default,
  textsSetting.expected,
  (value) => {
    if (typeof value !== 'object' || value === null) return textsSetting.parse(value);
    const entries = Object.entries(value);
    if (!entries.every(([, type]) => typeof type === 'string' || isCheckedType(type))) return { ok: false };
    const result = textsSetting.parse(Object.fromEntries(entries.map(([name, type]) => [name, typeDescription(type)])));
    return result.ok ? { ok: true, value: Object.freeze({ ...(value as AuthorizationDetailsTypes) }) } : result;
  },
).describe(
  'the types of authorization_details that applications can request (RFC 9396), each with a text for the consent page. In the configuration file a type can also have a JSON Schema',
);

function isCheckedType(type: unknown): type is CheckedType {
  const { text, schema, ...otherMembers } = (type ?? {}) as Partial<CheckedType>;
  if (typeof text !== 'string' || schema?.type !== 'object' || Object.keys(otherMembers).length > 0) return false;
  try {
    // Throws if a pattern is not a regular expression.
    Compile(schema);
    return true;
  } catch {
    return false;
  }
}
