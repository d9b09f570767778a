import { badRequest, OAuthError } from '../../platform/errors.ts';
import type { Acr } from '../../platform/proof.ts';
import type { ClientDirectory } from '../clients/client-directory.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { grantScopes, introspectScope, openidScope } from '../clients/scopes.ts';
import type { OAuth } from '../oauth.ts';
import { invalidRequest } from '../parameters.ts';
import { type AuthorizationParameters, only } from './authorization-parameters.ts';
import { isRegistered } from './redirect-uris.ts';
import { requestedAcr } from './requested-acr.ts';

/** Who asks, and where the answer goes. As long as this is not known, people are told what is wrong, and nobody else. */
export interface ValidatedClient {
  readonly client: StoredClient;
  readonly redirectUri: string;
  /** The application's own, given back as it is. */
  readonly state: string | undefined;
}

export const prompts = ['none', 'login', 'consent', 'select_account'] as const;
type Prompt = (typeof prompts)[number];

/** RFC 6749 4.1.1 with PKCE (RFC 7636), resource indicators (RFC 8707) and OpenID Connect Core 3.1.2.1. */
export interface AuthorizationRequest extends ValidatedClient {
  /** As the application asked; empty where it named none. */
  readonly asked: readonly string[];
  readonly scopes: readonly string[];
  readonly codeChallenge: string;
  readonly prompt: ReadonlySet<Prompt>;
  /** Seconds. */
  readonly maxAge: number | undefined;
  /** The least level that the person must have signed in at. */
  readonly acr: Acr | undefined;
  readonly nonce: string | undefined;
  readonly resource: readonly string[];
}

/** RFC 6749 4.1.2.1: what is wrong with these two is told to the person, and never by a redirect. */
export async function resolveClient(
  clients: Pick<ClientDirectory, 'find'>,
  parameters: AuthorizationParameters,
): Promise<ValidatedClient> {
  const id = onlyOnPage(parameters, 'client_id');
  const client = await clients.find(id);
  if (client?.type !== 'application') {
    throw badRequest('The application that sent you here is not known, or not known any more (client_id).');
  }
  const redirectUri = onlyOnPage(parameters, 'redirect_uri');
  if (!isRegistered(client.redirectUris, redirectUri)) {
    throw badRequest(
      'The application that sent you here wants the answer at an address that it has not registered (redirect_uri).',
    );
  }
  const states = parameters.get('state');
  return { client, redirectUri, state: states?.length === 1 ? states[0] : undefined };
}

function onlyOnPage(parameters: AuthorizationParameters, name: string): string {
  const [value, ...others] = parameters.get(name) ?? [];
  if (value !== undefined && others.length === 0) return value;
  const wrong = value === undefined ? 'left out' : 'sent more than once';
  throw badRequest(`The application that sent you here made a mistake: ${name} was ${wrong}.`);
}

/** Asked for before anything else is judged: a request that must show nothing is answered at once. */
export const isSilent = (parameters: AuthorizationParameters): boolean =>
  (parameters.get('prompt') ?? []).some((value) => value.split(' ').includes('none'));

/** The rest of the request. What is thrown goes back to the application. */
export function readAuthorizationRequest(
  { scopes: known, audiences }: Pick<OAuth, 'scopes' | 'audiences'>,
  asking: ValidatedClient,
  parameters: AuthorizationParameters,
): AuthorizationRequest {
  for (const [name, values] of parameters) {
    if (values.length > 1 && name !== 'resource') {
      throw invalidRequest(`The parameter '${name.slice(0, 64)}' was sent more than once.`);
    }
  }
  refuseUnsupported(parameters);
  const asked = only(parameters, 'scope') ?? '';
  // Nobody asks about other people's tokens on behalf of a person.
  const allowed = asking.client.scopes.filter((scope) => scope !== introspectScope);
  const scopes = asked.trim() === '' ? [openidScope] : grantScopes(known, asked, allowed);
  return {
    ...asking,
    asked: asked.trim() === '' ? [] : scopes,
    scopes,
    codeChallenge: readChallenge(parameters),
    prompt: readPrompt(only(parameters, 'prompt') ?? ''),
    maxAge: readMaxAge(only(parameters, 'max_age')),
    acr: requestedAcr(parameters),
    nonce: only(parameters, 'nonce'),
    resource: audiences.read(parameters.get('resource') ?? []),
  };
}

function refuseUnsupported(parameters: AuthorizationParameters): void {
  if (parameters.has('request')) {
    throw new OAuthError('request_not_supported', 'Requests as JWTs are not supported: send parameters.');
  }
  if (parameters.has('request_uri')) {
    throw new OAuthError('request_uri_not_supported', 'request_uri is not supported: send parameters.');
  }
  if (parameters.has('registration')) {
    throw new OAuthError(
      'registration_not_supported',
      'registration is not supported: register the application before.',
    );
  }
  const responseType = only(parameters, 'response_type');
  if (responseType === undefined) throw invalidRequest("The parameter 'response_type' is missing: send code.");
  if (responseType !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type takes code alone.');
  }
  if ((only(parameters, 'response_mode') ?? 'query') !== 'query') {
    throw invalidRequest('response_mode takes query alone.');
  }
}

/** RFC 7636 4.3: where no method is named, it would be `plain`, which protects nobody. */
function readChallenge(parameters: AuthorizationParameters): string {
  const challenge = only(parameters, 'code_challenge');
  if (challenge === undefined) {
    throw invalidRequest("The parameter 'code_challenge' is missing: PKCE with S256 is required of every application.");
  }
  if (only(parameters, 'code_challenge_method') !== 'S256') throw invalidRequest('code_challenge_method must be S256.');
  // 32 bytes in base64url.
  if (!/^[\w-]{43}$/.test(challenge)) throw invalidRequest('code_challenge is no SHA-256 hash in base64url.');
  return challenge;
}

function readPrompt(text: string): ReadonlySet<Prompt> {
  const words = text.split(' ').filter(Boolean);
  const known = words.filter((word): word is Prompt => (prompts as readonly string[]).includes(word));
  if (known.length < words.length) throw invalidRequest(`prompt takes ${prompts.join(', ')}.`);
  const prompt = new Set(known);
  if (prompt.has('none') && prompt.size > 1) throw invalidRequest('prompt=none stands alone.');
  return prompt;
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) throw invalidRequest('max_age takes whole seconds.');
  return Number(text);
}
