import { reasonOf } from '../../../src/platform/errors.ts';
import { translate } from '../text/translate.ts';

/** JSON while it is being typed. The text is kept unchanged, and its value is sent. */
class TypedJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** The text of a value in the input. */
export function formatJson(value: unknown): string {
  if (value instanceof TypedJson) return value.text;
  return value === undefined || value === null ? '' : JSON.stringify(value, null, 2);
}

export const parseTypedJson = (text: string): TypedJson | null => (text.trim() === '' ? null : new TypedJson(text));

/** The place of the first mistake. Without a position, the end of the text is meant. */
export function validateJson(value: unknown): string | undefined {
  if (!(value instanceof TypedJson)) return undefined;
  try {
    value.toJSON();
    return undefined;
  } catch (error) {
    const at = /position (\d+)/.exec(reasonOf(error))?.[1];
    const before = value.text.slice(0, at === undefined ? undefined : Number(at)).split('\n');
    const place = { line: before.length, column: (before.at(-1) ?? '').length + 1 };
    return translate('This is not JSON (yet): look at line {line}, column {column}.', place);
  }
}

/** The same value with line breaks. A text that is not JSON stays as it is. */
export const prettyPrint = (value: unknown): unknown =>
  value instanceof TypedJson && !validateJson(value) ? new TypedJson(JSON.stringify(value, null, 2)) : value;
