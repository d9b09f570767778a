import type { FastifyRequest } from 'fastify';
import { everyScope, identityScopes, introspectScope, type KnownScopes } from '../../clients/scopes.ts';

/** The variables of the part `parts/scopes`: a row for each resource, and what is ticked. */
export function scopeChoices(known: KnownScopes, chosen: readonly string[]) {
  const others = [everyScope, introspectScope, ...identityScopes];
  const scopes = known.list().filter((scope) => !others.includes(scope));
  const names = [...new Set(scopes.map((scope) => scope.slice(0, scope.lastIndexOf(':'))))];
  return {
    everything: chosen.includes(everyScope),
    resources: names.map((name) => ({
      name,
      can_read: scopes.includes(`${name}:read`),
      can_write: scopes.includes(`${name}:write`),
      read: chosen.includes(`${name}:read`),
      write: chosen.includes(`${name}:write`),
    })),
  };
}

/** The scopes that were chosen in a form. */
export function readScopes({ body }: FastifyRequest): string[] {
  const sent = (body ?? {}) as Record<string, unknown>;
  if (sent.access === 'all') return [everyScope];
  return Object.keys(sent)
    .filter((name) => name.startsWith('scope:'))
    .map((name) => name.slice('scope:'.length));
}

export const nothingChosen = 'Tick at least one, or choose everything.';

export const scopesInWords = (scopes: readonly string[]): string =>
  scopes.includes(everyScope) ? 'Everything' : scopes.join(', ') || 'Nothing';
