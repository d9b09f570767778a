import { type LocalizedText, message } from '../../config/languages/message.ts';
import {
  adminScope,
  clientScopes,
  everyScope,
  identityScopes,
  type KnownScopes,
} from '../../oauth/clients/scopes/scopes.ts';
import { asObject } from '../../platform/is-object.ts';
import type { PageRequest } from '../kit/page-request.ts';

/** The built-in resources on the form, by heading. Declared resources come before them. */
const builtIn: Readonly<Record<string, readonly string[]>> = {
  account: ['users', 'tokens', 'consents', 'events', 'passkeys', 'authenticators', 'browsers', 'identities'],
  development: ['clients', 'webhooks', 'webhook-deliveries', 'mcp-calls'],
  administration: ['roles', 'providers', 'queued-jobs', 'scheduled-jobs', 'job-runs'],
};

/** The variables of the partial `parts/scopes`: resources by group, other scopes, and the chosen scopes. */
export function scopeChoices(known: KnownScopes, chosen: readonly string[], { withIdentity = false } = {}) {
  const listed = known.list().filter((scope) => ![everyScope, ...clientScopes, adminScope].includes(scope));
  const isIdentity = (scope: string) => identityScopes.includes(scope);
  const ofResource = (scope: string) => /:(read|write)$/.test(scope);
  const names = [...new Set(listed.filter(ofResource).map((scope) => scope.slice(0, scope.lastIndexOf(':'))))];
  const others = [
    ...(withIdentity ? identityScopes : []),
    ...listed.filter((scope) => !ofResource(scope) && !isIdentity(scope)),
  ];
  const right = (scope: string) => known.has(scope) && { chosen: chosen.includes(scope) };
  const groupOf = (group: string, members: readonly string[]) => ({
    title: message(`scopes.group.${group}`),
    resources: members
      .filter((name) => names.includes(name))
      .map((name) => ({
        name,
        label: labelOf(known, name),
        read: right(`${name}:read`),
        write: right(`${name}:write`),
      })),
  });
  const own = names.filter((name) => !Object.values(builtIn).flat().includes(name));
  const groups = [groupOf('data', own), ...Object.entries(builtIn).map(([group, members]) => groupOf(group, members))];
  return {
    everything: chosen.includes(everyScope),
    others: others.map((name) => ({ name, text: known.describe(name), chosen: chosen.includes(name) })),
    groups: groups.filter(({ resources }) => resources.length > 0),
  };
}

/** The scopes chosen in a form. */
export function readScopes({ request }: PageRequest): string[] {
  const sent = asObject(request.body);
  if (sent.access === 'all') return [everyScope];
  return Object.keys(sent)
    .filter((name) => name.startsWith('scope:'))
    .map((name) => name.slice('scope:'.length));
}

export const noScopesMessage = message('scopes.nothing_chosen');

/** Scopes in the words of the form: "Read: Cars". */
export function scopesInWords(known: KnownScopes, scopes: readonly string[]): LocalizedText[] {
  if (scopes.includes(everyScope)) return [message('scopes.all')];
  if (scopes.length === 0) return [message('scopes.nothing')];
  return scopes.map((scope) => {
    const [, name, right] = /^(.+):(read|write)$/.exec(scope) ?? [];
    return name === undefined
      ? known.describe(scope)
      : message(`scopes.${right}_resource`, { resource: labelOf(known, name) });
  });
}

const labelOf = (known: KnownScopes, name: string): LocalizedText =>
  message(`scopes.of.${name}`, {}, known.labelOf(name));
