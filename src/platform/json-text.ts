import { inspect } from 'node:util';

declare const parsed: unique symbol;

/** JSON text, and the type of its value. Any text can be assigned to it. */
export type JsonText<T> = string & { readonly [parsed]?: T };

export const parseJson = <T>(text: JsonText<T>): T => JSON.parse(text);

/** Undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** For messages: JSON, or the JavaScript notation of a value that JSON cannot represent, such as a BigInt. */
export function showValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? inspect(value);
  } catch {
    return inspect(value, { breakLength: Infinity });
  }
}
