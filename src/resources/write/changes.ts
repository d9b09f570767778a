import { isDeepStrictEqual } from 'node:util';

/** The old and the new value of a field. For a secret, only that it changed. */
type Changed = { readonly from?: unknown; readonly to?: unknown; readonly cut?: true } | { readonly hidden: true };
export type Changes = Readonly<Record<string, Changed>>;

type Row = Readonly<Record<string, unknown>>;

const maxValueLength = 256;
const maxTotalLength = 8192;
/** Recognises secrets by name, for fields that are not declared as secret. */
export const secretNamePattern =
  /pass(word|wd|phrase)|secret|token|hash|salt|credential|private|api_?key|\b(pin|otp|cvc|cvv)\b/i;
/** Fields whose changes add nothing to the event. */
const implicitFields = new Set(['id', 'created_at', 'updated_at', 'version']);

/**
 * The changed fields of a write, for the audit trail, with their old and new values. Long values are truncated and secrets are left
 * out. Without `before` the row is new, without `after` it is deleted. `isSecret` marks more fields than those with a secret name.
 */
export function changesBetween(
  before: Row | undefined,
  after: Row | undefined,
  isSecret: (name: string) => boolean = () => false,
): Changes {
  const changes: Record<string, Changed> = {};
  let remainingLength = maxTotalLength;
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    const [from, to] = [before?.[name] ?? null, after?.[name] ?? null];
    if (implicitFields.has(name) || isDeepStrictEqual(from, to)) continue;
    const change =
      isSecret(name) || secretNamePattern.test(name) ? { hidden: true as const } : changeOf(before, after, from, to);
    const size = JSON.stringify(change).length;
    changes[name] = size > remainingLength ? { cut: true } : change;
    remainingLength -= Math.min(size, remainingLength);
  }
  return changes;
}

function changeOf(before: Row | undefined, after: Row | undefined, from: unknown, to: unknown): Changed {
  const [shortenedFrom, shortenedTo] = [shorten(from), shorten(to)];
  return {
    ...(before ? { from: shortenedFrom.value } : {}),
    ...(after ? { to: shortenedTo.value } : {}),
    ...(shortenedFrom.isCut || shortenedTo.isCut ? { cut: true } : {}),
  };
}

/** Short lists and objects stay unchanged. Of longer ones, the beginning of their JSON text is kept. */
function shorten(value: unknown): { value: unknown; isCut: boolean } {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  if (text.length <= maxValueLength) return { value, isCut: false };
  // Does not cut a surrogate pair in half.
  return { value: text.slice(0, maxValueLength).replace(/[\ud800-\udbff]$/, ''), isCut: true };
}
