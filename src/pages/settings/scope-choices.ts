import type { FastifyRequest } from 'fastify';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import {
  adminScope,
  clientScopes,
  everyScope,
  identityScopes,
  type KnownScopes,
} from '../../oauth/clients/scopes/scopes.ts';
import { membersOf } from '../../platform/is-object.ts';

/** The variables of the part `parts/scopes`: a row for each resource, what is neither read nor write, and what is ticked. */
export function scopeChoices(known: KnownScopes, chosen: readonly string[], { withIdentity = false } = {}) {
  const listed = known.list().filter((scope) => ![everyScope, ...clientScopes, adminScope].includes(scope));
  const isIdentity = (scope: string) => identityScopes.includes(scope);
  const ofResource = (scope: string) => /:(read|write)$/.test(scope);
  const names = [...new Set(listed.filter(ofResource).map((scope) => scope.slice(0, scope.lastIndexOf(':'))))];
  const others = [
    ...(withIdentity ? identityScopes : []),
    ...listed.filter((scope) => !ofResource(scope) && !isIdentity(scope)),
  ];
  return {
    everything: chosen.includes(everyScope),
    others: others.map((name) => ({ name, text: known.describe(name), chosen: chosen.includes(name) })),
    resources: names.map((name) => ({
      name,
      can_read: known.has(`${name}:read`),
      can_write: known.has(`${name}:write`),
      read: chosen.includes(`${name}:read`),
      write: chosen.includes(`${name}:write`),
    })),
  };
}

/** The scopes that were chosen in a form. */
export function readScopes({ body }: FastifyRequest): string[] {
  const sent = membersOf(body);
  if (sent.access === 'all') return [everyScope];
  return Object.keys(sent)
    .filter((name) => name.startsWith('scope:'))
    .map((name) => name.slice('scope:'.length));
}

export const nothingChosen = message('scopes.nothing_chosen');

export const scopesInWords = (scopes: readonly string[]): LocalizedText =>
  scopes.includes(everyScope) ? message('scopes.all') : scopes.join(', ') || message('scopes.nothing');
