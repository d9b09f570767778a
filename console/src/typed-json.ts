/** JSON as somebody is typing it: kept to the letter, and sent as what it means. */
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

/** What the control shows of a value. */
export function shownJson(value: unknown): string {
  if (value instanceof TypedJson) return value.text;
  return value === undefined || value === null ? '' : JSON.stringify(value, null, 2);
}

export const typedJson = (text: string): TypedJson | null => (text.trim() === '' ? null : new TypedJson(text));

export const mustBeJson = (value: unknown): string | undefined =>
  value instanceof TypedJson && !value.isValid ? 'This is not JSON (yet).' : undefined;
