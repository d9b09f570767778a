import { readFileSync } from 'node:fs';
import type { KnownScopes } from '../../../src/oauth/clients/scopes/scopes.ts';
import { OperatorError, reasonOf } from '../../../src/platform/errors.ts';
import type { ScopeMap } from '../legacy-tokens/scope-map.ts';

/** `{"orders-read": "orders:read", "orders-write": ["orders:write"], "old": []}`. `""` is for tokens without scopes. */
export const readScopeFile = (path: string | undefined, knownScopes: KnownScopes): ScopeMap =>
  path === undefined
    ? new Map()
    : readScopes('--scopes', Object.entries(readJsonObject('--scopes', path)), knownScopes);

export function readJsonObject(option: string, path: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new OperatorError(`${option}: ${path} could not be read as JSON: ${reasonOf(error)}`);
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return { ...content };
  throw new OperatorError(`${option}: ${path} must hold an object such as {"orders-read": "orders:read"}.`);
}

/** Each value is a scope, a list of scopes, or nothing. */
export function readScopes(option: string, entries: readonly [string, unknown][], knownScopes: KnownScopes): ScopeMap {
  const map = new Map<string, readonly string[]>();
  for (const [old, value] of entries) {
    const names: unknown[] = Array.isArray(value) ? value : value === null ? [] : [value];
    for (const name of names) {
      if (typeof name === 'string' && knownScopes.has(name)) continue;
      throw new OperatorError(
        `${option}: ${JSON.stringify(name)} (for "${old}") is not a scope of this service. Expected one of: ${knownScopes.list().join(', ')}.`,
      );
    }
    map.set(old, names as string[]);
  }
  return map;
}

/** `--client-scopes 3=orders:read,orders:write`. `none` means no scope. */
export function readClientScopes(textsByClient: ReadonlyMap<string, string>, knownScopes: KnownScopes) {
  return new Map(
    [...textsByClient].map(([id, text]) => {
      const names = text === 'none' ? [] : text.split(',').map((name) => name.trim());
      const invalid = names.find((name) => !knownScopes.has(name));
      if (invalid === undefined) return [id, names];
      throw new OperatorError(
        `--client-scopes: "${invalid}" (for the client ${id}) is not a scope of this service. Expected one of: ${knownScopes.list().join(', ')}.`,
      );
    }),
  );
}
