import { OAuthError } from '../../platform/errors.ts';
import { faultOfName } from '../clients/application-name.ts';
import { faultOfRedirectUri, faultOfWebUri } from '../clients/application-uris.ts';
import type { ApplicationFields } from '../clients/client-store.ts';
import { adminScope, everyScope, introspectScope, type KnownScopes, openidScope } from '../clients/scopes.ts';

/** What an application says of itself (RFC 7591 2), as far as it is known here. */
export interface ClientMetadata {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly fields: ApplicationFields;
  readonly authMethod: string;
  readonly grantTypes: readonly string[];
}

const invalid = (description: string) => new OAuthError('invalid_client_metadata', description);

const authMethods = ['client_secret_basic', 'client_secret_post', 'none'];
/** It acts for people who agreed, and never for itself: nobody here vouches for it. */
const grantTypes = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'];
const longestName = 100;
const mostUris = 20;
const longestScope = 4000;

type Sent = Readonly<Record<string, unknown>>;

/** Members that are not known are left alone (RFC 7591 2). Null counts as left out. */
export function readClientMetadata(known: KnownScopes, sent: Sent, defaultAuthMethod: string): ClientMetadata {
  const authMethod = textOf(sent, 'token_endpoint_auth_method') ?? defaultAuthMethod;
  if (!authMethods.includes(authMethod)) {
    throw invalid(`token_endpoint_auth_method takes one of ${authMethods.join(', ')}.`);
  }
  const types = listOf(sent, 'grant_types') ?? ['authorization_code'];
  const unknown = types.find((type) => !grantTypes.includes(type));
  if (unknown !== undefined) throw invalid(`grant_types takes ${grantTypes.join(', ')}.`);
  if ((listOf(sent, 'response_types') ?? []).some((type) => type !== 'code')) {
    throw invalid('response_types takes code alone.');
  }
  const redirectUris = redirectUrisOf(sent, 'redirect_uris');
  if (redirectUris.length === 0 && types.includes('authorization_code')) {
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris is required for the grant authorization_code.');
  }
  return {
    name: nameOf(sent, redirectUris),
    scopes: scopesOf(known, sent),
    fields: {
      public: authMethod === 'none',
      redirectUris,
      postLogoutRedirectUris: redirectUrisOf(sent, 'post_logout_redirect_uris'),
      homepageUri: webUriOf(sent, 'client_uri'),
      logoUri: webUriOf(sent, 'logo_uri'),
      backchannelLogoutUri: webUriOf(sent, 'backchannel_logout_uri'),
      trusted: false,
    },
    authMethod,
    grantTypes: types,
  };
}

function nameOf(sent: Sent, [first]: readonly string[]): string {
  const name = textOf(sent, 'client_name');
  if (name === undefined) return first === undefined ? 'An application without a name' : new URL(first).host || first;
  const wrong = name.length > longestName ? `has more than ${longestName} characters` : faultOfName(name);
  if (name === '' || wrong) throw invalid(`client_name ${wrong ?? 'is empty'}.`);
  return name;
}

/**
 * What nobody may hand on who is not known here is left out, and so is what there is not: the answer says what is left, which
 * is `openid` at least. Who names nothing may ask for all the rest; the person decides.
 */
function scopesOf(known: KnownScopes, sent: Sent): readonly string[] {
  const asked = textOf(sent, 'scope') ?? '';
  if (asked.length > longestScope) throw invalid('scope is too long.');
  const grantable = known.list().filter((scope) => ![everyScope, introspectScope, adminScope].includes(scope));
  const words = new Set(asked.split(' ').filter(Boolean));
  if (words.size === 0) return grantable;
  const kept = grantable.filter((scope) => words.has(scope));
  return kept.length > 0 ? kept : [openidScope];
}

function redirectUrisOf(sent: Sent, name: string): readonly string[] {
  const uris = listOf(sent, name) ?? [];
  for (const uri of uris) {
    const wrong = faultOfRedirectUri(uri);
    if (wrong) throw new OAuthError('invalid_redirect_uri', `${name}: '${uri.slice(0, 200)}' ${wrong.says}.`);
  }
  return uris;
}

function webUriOf(sent: Sent, name: string): string | null {
  const uri = textOf(sent, name);
  if (uri === undefined) return null;
  const wrong = faultOfWebUri(uri);
  if (wrong) throw invalid(`${name} ${wrong.says}.`);
  return uri;
}

export function textOf(sent: Sent, name: string): string | undefined {
  const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalid(`${name} must be text.`);
  return value;
}

function listOf(sent: Sent, name: string): readonly string[] | undefined {
  const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
  if (value === undefined || value === null) return undefined;
  const isList = Array.isArray(value) && value.length <= mostUris && value.every((item) => typeof item === 'string');
  if (!isList) throw invalid(`${name} must be a list of at most ${mostUris} texts.`);
  return [...new Set(value as string[])];
}
