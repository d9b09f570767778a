import type { KnownScopes } from './scopes.ts';

interface Vocabulary {
  readonly scopes: KnownScopes;
  /** The scopes of an imported service, and the scopes here that replace them. */
  legacyScopes(): Promise<ReadonlyMap<string, readonly string[]>>;
}

/**
 * What a request asks for, in the scopes of this service: clients of an imported service go on asking for its scopes. One
 * that was dropped is left out. Where nothing else is asked for, the request stays as it is and is refused: none must not
 * become all.
 */
export async function translateScope({ scopes: known, legacyScopes }: Vocabulary, text: string): Promise<string> {
  const words = text.split(' ').filter(Boolean);
  if (words.every((word) => known.has(word))) return text;
  const map = await legacyScopes();
  const translated = words.flatMap((word) => (known.has(word) ? [word] : (map.get(word) ?? [word])));
  return translated.length === 0 ? text : [...new Set(translated)].join(' ');
}
