import { reasonOf } from '../../../src/platform/errors.ts';
import { translate } from '../text/translate.ts';
/** JSON while it is being typed. The text is kept unchanged, and its value is sent. */
export class TypedJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isValid(): boolean {
    try {
      JSON.parse(this.text);
      return true;
    } catch {
      return false;
    }
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** The text of a value in the input. */
export function shownJson(value: unknown): string {
  if (value instanceof TypedJson) return value.text;
  return value === undefined || value === null ? '' : JSON.stringify(value, null, 2);
}

export const typedJson = (text: string): TypedJson | null => (text.trim() === '' ? null : new TypedJson(text));

export function mustBeJson(value: unknown): string | undefined {
  if (!(value instanceof TypedJson) || value.isValid) return undefined;
  const place = errorPosition(value.text);
  return place
    ? translate('This is not JSON (yet): look at line {line}, column {column}.', { ...place })
    : translate('This is not JSON (yet).');
}

/** The place of the first mistake, if the parser reports it. */
function errorPosition(text: string): { line: number; column: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const at = /position (\d+)/.exec(reasonOf(error))?.[1];
    const before = text.slice(0, at === undefined ? text.length : Number(at)).split('\n');
    return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  }
}

/** The same value with line breaks. A text that is not JSON stays as it is. */
export const formatted = (value: unknown): unknown =>
  value instanceof TypedJson && value.isValid ? new TypedJson(JSON.stringify(JSON.parse(value.text), null, 2)) : value;
