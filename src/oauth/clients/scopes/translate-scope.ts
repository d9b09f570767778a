import type { KnownScopes } from './scopes.ts';

interface Vocabulary {
  readonly scopes: KnownScopes;
  /** The scopes of an imported service, and the scopes here that replace them. */
  legacyScopes(): Promise<ReadonlyMap<string, readonly string[]>>;
}

/**
 * Translates the requested scopes into scopes of this service, because clients of an imported service still request its old
 * scopes. Dropped scopes are left out. If only dropped scopes are requested, the request stays as it is and is refused:
 * no scope must not become all scopes.
 */
export async function translateScope({ scopes: known, legacyScopes }: Vocabulary, text: string): Promise<string> {
  const words = text.split(' ').filter(Boolean);
  if (words.every((word) => known.has(word))) return text;
  const map = await legacyScopes();
  const translated = words.flatMap((word) => (known.has(word) ? [word] : (map.get(word) ?? [word])));
  return translated.length === 0 ? text : [...new Set(translated)].join(' ');
}
