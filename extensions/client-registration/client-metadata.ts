import type { KeyRing } from '../../src/database/keys/key-ring.ts';
import { checkJwks, checkName, looksLikeService } from '../../src/oauth/clients/check-application.ts';
import type { Application } from '../../src/oauth/clients/client-store.ts';
import { checkRedirectUri, checkWebUri } from '../../src/oauth/clients/client-uris.ts';
import {
  adminScope,
  clientScopes,
  everyScope,
  type KnownScopes,
  offlineAccessScope,
  openidScope,
} from '../../src/oauth/clients/scopes/scopes.ts';
import { OAuthError } from '../../src/platform/errors.ts';
import { isOneOf } from '../../src/platform/is-one-of.ts';

/** The supported client metadata (RFC 7591 2). */
export interface ClientMetadata {
  readonly application: Application;
  /** Metadata that is returned unchanged and has no effect. */
  readonly notes: ClientNotes;
}

export type ClientNotes = Readonly<Record<string, string | readonly string[]>>;

type ClientAuthMethod = NonNullable<Application['token_endpoint_auth_method']>;
type IdTokenAlgorithm = NonNullable<Application['id_token_signed_response_alg']>;

const invalid = (description: string) => new OAuthError('invalid_client_metadata', description);

const authMethods: readonly ClientAuthMethod[] = [
  ...(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const),
];
/** A registered client acts only for users who consented. It is unverified, so it cannot act for itself. */
const grantTypes = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'];
const maxNameLength = 100;
const maxUris = 20;
const maxScopeLength = 4000;
/** The limit of one text. */
const maxNoteLength = 500;

/** The options that this service offers to clients. */
export interface MetadataServices {
  readonly scopes: KnownScopes;
  readonly keys: Pick<KeyRing, 'signingKeys'>;
}

/** The current values that registered clients can choose from. */
export const supportedMetadata = ({ scopes, keys }: MetadataServices) => ({
  scopes,
  idTokenAlgorithms: keys.signingKeys.algorithms() as readonly IdTokenAlgorithm[],
});

type Known = ReturnType<typeof supportedMetadata>;

type SubmittedMetadata = Readonly<Record<string, unknown>>;

/** Unknown members are ignored (RFC 7591 2). Null counts as omitted. */
export function readClientMetadata(known: Known, submitted: SubmittedMetadata, defaultAuthMethod: ClientAuthMethod) {
  const authMethod = oneOf(submitted, 'token_endpoint_auth_method', authMethods) ?? defaultAuthMethod;
  const types = listOf(submitted, 'grant_types') ?? ['authorization_code'];
  const unknown = types.find((type) => !grantTypes.includes(type));
  if (unknown !== undefined) throw invalid(`grant_types must contain only ${grantTypes.join(', ')}.`);
  if ((listOf(submitted, 'response_types') ?? []).some((type) => type !== 'code')) {
    throw invalid('response_types accepts only code.');
  }
  oneOf(submitted, 'subject_type', ['public']);
  const redirectUris = redirectUrisOf(submitted, 'redirect_uris');
  if (redirectUris.length === 0 && types.includes('authorization_code')) {
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris is required for the grant authorization_code.');
  }
  return {
    application: {
      name: nameOf(submitted, redirectUris),
      scopes: scopesOf(known.scopes, submitted, types),
      public: authMethod === 'none',
      redirect_uris: redirectUris,
      post_logout_redirect_uris: redirectUrisOf(submitted, 'post_logout_redirect_uris'),
      homepage_uri: webUriOf(submitted, 'client_uri'),
      logo_uri: webUriOf(submitted, 'logo_uri'),
      tos_uri: webUriOf(submitted, 'tos_uri'),
      policy_uri: webUriOf(submitted, 'policy_uri'),
      backchannel_logout_uri: webUriOf(submitted, 'backchannel_logout_uri'),
      trusted: false,
      require_pkce: false,
      id_token_signed_response_alg: oneOf(submitted, 'id_token_signed_response_alg', known.idTokenAlgorithms) ?? null,
      id_token_claims: true,
      grant_types: types,
      token_endpoint_auth_method: authMethod,
      default_max_age: secondsOf(submitted, 'default_max_age'),
      require_pushed_authorization_requests: flagOf(submitted, 'require_pushed_authorization_requests'),
      require_signed_request_object: flagOf(submitted, 'require_signed_request_object'),
      dpop_bound_access_tokens: flagOf(submitted, 'dpop_bound_access_tokens'),
      fapi: false,
      ...keysOf(submitted, authMethod),
    },
    notes: notesOf(submitted),
  };
}

function oneOf<T extends string>(sent: SubmittedMetadata, name: string, values: readonly T[]): T | undefined {
  const value = textOf(sent, name);
  if (value === undefined || isOneOf(values, value)) return value;
  throw invalid(`${name} must be one of ${values.join(', ')}.`);
}

function secondsOf(sent: SubmittedMetadata, name: string): number | null {
  const value = Object.hasOwn(sent, name) ? (sent[name] ?? null) : null;
  if (value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(`${name} must be a whole number of seconds.`);
}

/** RFC 7591 2: the keys or their address, not both. */
function keysOf(sent: SubmittedMetadata, authMethod: ClientAuthMethod): Pick<Application, 'jwks' | 'jwks_uri'> {
  const jwks = Object.hasOwn(sent, 'jwks') ? (sent.jwks ?? null) : null;
  const jwksUri = webUriOf(sent, 'jwks_uri');
  if (jwks !== null && jwksUri !== null) throw invalid('Send jwks or jwks_uri, not both.');
  const problem = jwks === null ? undefined : checkJwks(jwks);
  if (problem) throw invalid(`jwks ${problem}.`);
  if (authMethod === 'private_key_jwt' && jwks === null && jwksUri === null) {
    throw invalid('private_key_jwt needs jwks or jwks_uri.');
  }
  return { jwks, jwks_uri: jwksUri };
}

function flagOf(sent: SubmittedMetadata, name: string): boolean {
  const value = Object.hasOwn(sent, name) ? (sent[name] ?? false) : false;
  if (typeof value !== 'boolean') throw invalid(`${name} must be true or false.`);
  return value;
}

function notesOf(sent: SubmittedMetadata): ClientNotes {
  const texts = ['application_type', 'software_id', 'software_version'].map((name) => [name, textOf(sent, name)]);
  const notes = [...texts, ['contacts', listOf(sent, 'contacts')]].filter(([, value]) => value !== undefined);
  const long = notes.find(([, value]) => [value].flat().some((text) => (text?.length ?? 0) > maxNoteLength));
  if (long) throw invalid(`${long[0]} must have at most ${maxNoteLength} characters.`);
  return Object.fromEntries(notes) as ClientNotes;
}

function nameOf(sent: SubmittedMetadata, [first]: readonly string[]): string {
  const name = textOf(sent, 'client_name');
  if (name === undefined) return first === undefined ? 'An application without a name' : new URL(first).host || first;
  const problem =
    name.length > maxNameLength
      ? `has more than ${maxNameLength} characters`
      : looksLikeService(name)
        ? 'imitates the name of this service'
        : checkName(name);
  if (name === '' || problem) throw invalid(`client_name ${problem ?? 'is empty'}.`);
  return name;
}

/** Omits unknown and forbidden scopes. At least `openid` remains. Without a scope, all allowed scopes remain. */
function scopesOf(known: KnownScopes, sent: SubmittedMetadata, types: readonly string[]): readonly string[] {
  const requested = textOf(sent, 'scope') ?? '';
  if (requested.length > maxScopeLength) throw invalid('scope is too long.');
  const withheld = [everyScope, ...clientScopes, adminScope];
  // Without this grant, the client gets no refresh token.
  if (!types.includes('refresh_token')) withheld.push(offlineAccessScope);
  const grantable = known.list().filter((scope) => !withheld.includes(scope));
  const requestedScopes = new Set(requested.split(' ').filter(Boolean));
  if (requestedScopes.size === 0) return grantable;
  const granted = grantable.filter((scope) => requestedScopes.has(scope));
  return granted.length > 0 ? granted : [openidScope];
}

function redirectUrisOf(sent: SubmittedMetadata, name: string): string[] {
  const uris = listOf(sent, name) ?? [];
  for (const uri of uris) {
    const problem = checkRedirectUri(uri);
    if (problem) throw new OAuthError('invalid_redirect_uri', `${name}: '${uri.slice(0, 200)}' ${problem.message}.`);
  }
  return uris;
}

function webUriOf(sent: SubmittedMetadata, name: string): string | null {
  const uri = textOf(sent, name);
  if (uri === undefined) return null;
  const problem = checkWebUri(uri);
  if (problem) throw invalid(`${name} ${problem.message}.`);
  return uri;
}

export function textOf(sent: SubmittedMetadata, name: string): string | undefined {
  const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalid(`${name} must be text.`);
  return value;
}

function listOf(sent: SubmittedMetadata, name: string): string[] | undefined {
  const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
  if (value === undefined || value === null) return undefined;
  const isList = Array.isArray(value) && value.length <= maxUris && value.every((item) => typeof item === 'string');
  if (!isList) throw invalid(`${name} must be a list of at most ${maxUris} texts.`);
  return [...new Set(value)];
}
