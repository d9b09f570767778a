import type { Config } from '../../config/config.ts';
import { badRequest, OAuthError } from '../../platform/errors.ts';
import { isOneOf } from '../../platform/is-one-of.ts';
import type { ClientDirectory } from '../clients/client-directory.ts';
import { mayUseGrant, unauthorizedClient } from '../clients/client-rules.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { isRegisteredRedirectUri } from '../clients/client-uris.ts';
import { allowsScope, clientScopes, filterScopes, openidScope, parseScope } from '../clients/scopes/scopes.ts';
import type { OAuth } from '../oauth.ts';
import { allowedClaims, readClaims } from '../openid/claims.ts';
import { invalidRequest } from '../parameters.ts';
import { resolveJkt } from '../proofs/dpop.ts';
import { readAuthorizationDetails } from './authorization-details.ts';
import { type AuthorizationParameters, requestedAcr, singleValue } from './authorization-parameters.ts';
import type { ResolvedParameters } from './resolve-parameters.ts';

/** The client and its redirect URI. Until both are known, errors are shown to the user and not sent by redirect. */
export type ValidatedClient = Awaited<ReturnType<typeof validateClient>>;

export const prompts = ['none', 'login', 'consent', 'select_account'] as const;
type Prompt = (typeof prompts)[number];

/** RFC 6749 4.1.1 with PKCE (RFC 7636), resource indicators (RFC 8707) and OpenID Connect Core 3.1.2.1. */
export type AuthorizationRequest = ReturnType<typeof readAuthorizationRequest>;

/** RFC 6749 4.1.2.1: errors in `client_id` and `redirect_uri` are shown to the user, never sent by redirect. */
export async function validateClient(clients: Pick<ClientDirectory, 'find'>, parameters: AuthorizationParameters) {
  const id = requireSingle(parameters, 'client_id');
  const client = await clients.find(id);
  if (client?.type !== 'application') {
    throw badRequest('The application that sent you here does not exist, or no longer exists (client_id).');
  }
  const redirectUri = requireSingle(parameters, 'redirect_uri');
  if (!isRegisteredRedirectUri(client.redirect_uris, redirectUri)) {
    throw badRequest(
      'The application that sent you here uses a return address that it has not registered (redirect_uri).',
    );
  }
  const states = parameters.get('state');
  const mode = singleValue(parameters, 'response_mode');
  const responseMode: ResponseMode = isOneOf(responseModes, mode) ? mode : 'query';
  return { client, redirectUri, responseMode, state: states?.length === 1 ? states[0] : undefined };
}

function requireSingle(parameters: AuthorizationParameters, name: string): string {
  const [value, ...repeats] = parameters.get(name) ?? [];
  if (value !== undefined && repeats.length === 0) return value;
  const problem = value === undefined ? 'left out' : 'sent more than once';
  throw badRequest(`The application that sent you here made a mistake: ${name} was ${problem}.`);
}

/** Checked before all other parameters: a request with `prompt=none` must not show a page. */
export const isSilent = (parameters: AuthorizationParameters): boolean =>
  (parameters.get('prompt') ?? []).some((value) => value.split(' ').includes('none'));

/** Reads the remaining parameters. Errors are sent to the application. */
export function readAuthorizationRequest(
  { context, scopes: knownScopes, audiences }: Pick<OAuth, 'context' | 'scopes' | 'audiences'>,
  validated: ValidatedClient,
  { parameters, signed, pushedId, jkt }: ResolvedParameters,
) {
  for (const [name, values] of parameters) {
    if (values.length > 1 && name !== 'resource') {
      throw invalidRequest(`The parameter '${name.slice(0, 64)}' was sent more than once.`);
    }
    // PostgreSQL cannot store it.
    if (values.some((value) => value.includes('\0'))) throw invalidRequest('A parameter contains a NUL character.');
  }
  rejectUnsupported(parameters);
  if (!mayUseGrant(validated.client, 'authorization_code')) throw unauthorizedClient(validated.client);
  const { client } = validated;
  if (pushedId === undefined && (client.require_pushed_authorization_requests || client.fapi)) {
    throw invalidRequest('This application must push its requests (RFC 9126).');
  }
  if (!signed && client.require_signed_request_object) throw invalidRequest('This application must sign its requests.');
  // No scope contains a comma, and several libraries join scopes with commas by default.
  const requested = parseScope((singleValue(parameters, 'scope') ?? '').replaceAll(',', ' '));
  const allowed = client.scopes.filter((scope) => !clientScopes.includes(scope));
  const scopes = requested.length === 0 ? [openidScope] : filterScopes(knownScopes, requested, allowed);
  if (scopes.length === 0) {
    throw new OAuthError('invalid_scope', 'None of these scopes exists, or none may be granted to this application.');
  }
  return {
    ...validated,
    /** Including unknown scopes. Empty if the request names none. */
    requestedScopes: requested,
    scopes,
    /** Undefined: the request has no challenge, and the application does not need PKCE. */
    codeChallenge: readChallenge(parameters, requiresPkce(context.config, client)),
    claims: allowedClaims(readClaims(singleValue(parameters, 'claims')), (scope) => allowsScope(allowed, scope)),
    authorizationDetails: readAuthorizationDetails(context.config, singleValue(parameters, 'authorization_details')),
    prompt: readPrompt(singleValue(parameters, 'prompt') ?? ''),
    /** Seconds. */
    maxAge: readMaxAge(singleValue(parameters, 'max_age')) ?? client.default_max_age ?? undefined,
    /** The lowest level at which the user must have signed in. */
    acr: requestedAcr(parameters),
    nonce: singleValue(parameters, 'nonce'),
    resource: audiences.read(parameters.get('resource') ?? []),
    pushedId,
    /** The code and its tokens are bound to this key (RFC 9449 10). */
    jkt: resolveJkt(singleValue(parameters, 'dpop_jkt'), jkt),
  };
}

const unsupportedParameters = [
  ['request', 'This application has no keys to verify a signed request: send the parameters unsigned.'],
  ['request_uri', 'Only a request_uri from /oauth/par is supported (RFC 9126).'],
  ['registration', 'registration is not supported: register the application first.'],
] as const;

function rejectUnsupported(parameters: AuthorizationParameters): void {
  for (const [name, description] of unsupportedParameters) {
    if (parameters.has(name)) throw new OAuthError(`${name}_not_supported`, description);
  }
  const responseType = singleValue(parameters, 'response_type');
  if (responseType === undefined) throw invalidRequest("The parameter 'response_type' is missing: send code.");
  if (responseType !== 'code') throw new OAuthError('unsupported_response_type', 'response_type accepts only code.');
  const mode = singleValue(parameters, 'response_mode');
  if (mode !== undefined && !isOneOf(responseModes, mode)) {
    throw invalidRequest(`response_mode must be one of ${responseModes.join(', ')}.`);
  }
}

/** RFC 9700 2.1.1: PKCE is the only proof that a public client has of its request. */
const requiresPkce = ({ requirePkce }: Config, client: StoredClient): boolean =>
  client.public || client.require_pkce || client.fapi || requirePkce === 'all';

/** RFC 7636 4.3: the default method is `plain`, which gives no protection. */
function readChallenge(parameters: AuthorizationParameters, isRequired: boolean): string | undefined {
  const challenge = singleValue(parameters, 'code_challenge');
  if (challenge === undefined) {
    if (isRequired) throw invalidRequest("The parameter 'code_challenge' is missing: this application must use PKCE.");
    if (parameters.has('code_challenge_method')) throw invalidRequest("The parameter 'code_challenge' is missing.");
    return undefined;
  }
  if (singleValue(parameters, 'code_challenge_method') !== 'S256')
    throw invalidRequest('code_challenge_method must be S256.');
  // 32 bytes in base64url.
  if (!/^[\w-]{43}$/.test(challenge)) throw invalidRequest('code_challenge is not a SHA-256 hash in base64url.');
  return challenge;
}

function readPrompt(text: string): ReadonlySet<Prompt> {
  const values = text.split(' ').filter(Boolean);
  const validPrompts = values.filter((value) => isOneOf(prompts, value));
  if (validPrompts.length < values.length) throw invalidRequest(`prompt takes ${prompts.join(', ')}.`);
  const prompt = new Set(validPrompts);
  if (prompt.has('none') && prompt.size > 1) throw invalidRequest('prompt=none cannot be combined with other values.');
  return prompt;
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) throw invalidRequest('max_age must be a whole number of seconds.');
  return Number(text);
}

/** How the response reaches the application (OAuth 2.0 Multiple Response Types 2.1, OAuth 2.0 Form Post Response Mode). */
export const responseModes = ['query', 'fragment', 'form_post'] as const;
type ResponseMode = (typeof responseModes)[number];

export interface AuthorizationResponse {
  readonly mode: ResponseMode;
  readonly redirectUri: string;
  readonly parameters: Readonly<Record<string, string>>;
}

type ResponseTarget = Pick<ValidatedClient, 'redirectUri' | 'responseMode' | 'state'>;

function response(
  { redirectUri, responseMode: mode, state }: ResponseTarget,
  iss: string,
  responseParameters: Record<string, string>,
): AuthorizationResponse {
  const all = { ...responseParameters, ...(state === undefined ? {} : { state }), iss };
  const parameters = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value.toWellFormed()]));
  return { mode, redirectUri, parameters };
}

/** RFC 6749 4.1.2. RFC 9207: `iss` names the server that responds, so that an application with two servers cannot confuse them. */
export const codeResponse = (to: ResponseTarget, iss: string, code: string): AuthorizationResponse =>
  response(to, iss, { code });

/** RFC 6749 4.1.2.1. */
export const errorResponse = (to: ResponseTarget, iss: string, { error, message }: OAuthError): AuthorizationResponse =>
  response(to, iss, { error, error_description: message });

/** The redirect URI with the response parameters. The registered URI itself is not changed. */
export function redirectLocation({ mode, redirectUri, parameters }: AuthorizationResponse): string {
  const text = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  if (mode === 'fragment') return `${redirectUri}#${text}`;
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${text}`;
}
