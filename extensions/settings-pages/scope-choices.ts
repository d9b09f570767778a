import { type LocalizedText, message } from '../../src/config/languages/message.ts';
import {
  adminScope,
  clientScopes,
  everyScope,
  identityScopes,
  type KnownScopes,
} from '../../src/oauth/clients/scopes/scopes.ts';
import type { PageKit, PageRequest } from '../../src/pages/kit/page-request.ts';
import { asObject } from '../../src/platform/is-object.ts';

/** The built-in resources on the form, by heading. Declared resources come before them. */
const builtIn: Readonly<Record<string, readonly string[]>> = {
  account: ['users', 'tokens', 'consents', 'events', 'passkeys', 'authenticators', 'browsers', 'identities'],
  development: ['clients', 'webhooks', 'webhook-deliveries', 'mcp-calls'],
  administration: ['roles', 'providers', 'queued-jobs', 'scheduled-jobs', 'job-runs'],
};

/** The variables of the partial `parts/scopes`: resources by group, other scopes, and the chosen scopes. */
export function scopeChoices({ oauth }: PageKit, chosenScopes: readonly string[], { withIdentity = false } = {}) {
  const { scopes: knownScopes } = oauth;
  const offeredScopes = knownScopes
    .list()
    .filter((scope) => ![everyScope, ...clientScopes, adminScope].includes(scope));
  const isIdentity = (scope: string) => identityScopes.includes(scope);
  const isResourceScope = (scope: string) => /:(read|write)$/.test(scope);
  const names = [
    ...new Set(offeredScopes.filter(isResourceScope).map((scope) => scope.slice(0, scope.lastIndexOf(':')))),
  ];
  const otherScopes = [
    ...(withIdentity ? identityScopes : []),
    ...offeredScopes.filter((scope) => !isResourceScope(scope) && !isIdentity(scope)),
  ];
  const choiceOf = (scope: string) => knownScopes.has(scope) && { chosen: chosenScopes.includes(scope) };
  const groupOf = (group: string, members: readonly string[]) => ({
    title: message(`scopes.group.${group}`),
    resources: members
      .filter((name) => names.includes(name))
      .map((name) => ({
        name,
        label: labelOf(knownScopes, name),
        read: choiceOf(`${name}:read`),
        write: choiceOf(`${name}:write`),
      })),
  });
  const declaredResources = names.filter((name) => !Object.values(builtIn).flat().includes(name));
  const groups = [
    groupOf('data', declaredResources),
    ...Object.entries(builtIn).map(([group, members]) => groupOf(group, members)),
  ];
  return {
    everything: chosenScopes.includes(everyScope),
    others: otherScopes.map((name) => ({
      name,
      text: knownScopes.describe(name),
      chosen: chosenScopes.includes(name),
    })),
    groups: groups.filter(({ resources }) => resources.length > 0),
  };
}

/** The scopes chosen in a form. */
export function readScopes({ request }: PageRequest): string[] {
  const body = asObject(request.body);
  if (body.access === 'all') return [everyScope];
  return Object.keys(body)
    .filter((name) => name.startsWith('scope:'))
    .map((name) => name.slice('scope:'.length));
}

export const noScopesMessage = message('scopes.nothing_chosen');

/** Scopes in the words of the form: "Read: Cars". */
export function scopesInWords({ oauth: { scopes: knownScopes } }: PageKit, scopes: readonly string[]): LocalizedText[] {
  if (scopes.includes(everyScope)) return [message('scopes.all')];
  if (scopes.length === 0) return [message('scopes.nothing')];
  return scopes.map((scope) => {
    const [, name, right] = /^(.+):(read|write)$/.exec(scope) ?? [];
    return name === undefined
      ? knownScopes.describe(scope)
      : message(`scopes.${right}_resource`, { resource: labelOf(knownScopes, name) });
  });
}

const labelOf = (knownScopes: KnownScopes, name: string): LocalizedText =>
  message(`scopes.of.${name}`, {}, knownScopes.labelOf(name));
