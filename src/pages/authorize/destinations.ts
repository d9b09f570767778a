import {
  type AuthorizationParameters,
  maxRequestLength,
  readAuthorizationParameters,
  requestedAcr,
  singleValue,
} from '../../oauth/authorize/authorization-parameters.ts';
import { validateClient } from '../../oauth/authorize/authorization-request.ts';
import { findBrowserLogin, type Progress } from '../../oauth/authorize/next-step.ts';
import { signInTimeoutMs } from '../../oauth/authorize/pushed-request-store.ts';
import { resolveParameters } from '../../oauth/authorize/resolve-parameters.ts';
import type { OAuth } from '../../oauth/oauth.ts';
import type { Caller } from '../../platform/caller.ts';
import { OAuthError, Problem } from '../../platform/errors.ts';
import type { Acr } from '../../platform/proof.ts';

/** An authorization request on its way through other pages, as the application sent it, with the completed steps. */
export interface Continuation {
  readonly query: string;
  readonly progress: Progress;
  /** When the request was accepted. It may expire while the user signs in and decides. */
  readonly acceptedAt?: number | undefined;
}

export const continuePath = '/oauth/authorize/continue';

const purpose = 'authorization request';
const signed = (query: string, ...steps: readonly string[]): string => [...steps, query].join('\n');

/**
 * The form of a continuation in an address or in a form. It carries the request through the login without storing it. A MAC
 * prevents applications from forging a sign-in.
 */
export function continuationFields({ keys }: OAuth, { query, progress, acceptedAt }: Continuation) {
  const accepted = String(acceptedAt ?? '');
  const since = String(progress.signInStartedAt ?? '');
  const chosen = progress.chosenSessionId ?? '';
  const mac = accepted || since || chosen ? keys.macKeys.mac(purpose, signed(query, accepted, since, chosen)) : '';
  return { request: Buffer.from(query).toString('base64url'), accepted, since, chosen, mac };
}

export function continuationPath(oauth: OAuth, continuation: Continuation): string {
  const fields = Object.entries(continuationFields(oauth, continuation)).filter(([, value]) => value !== '');
  return `${continuePath}?${new URLSearchParams(fields)}`;
}

export function readContinuation(
  { keys, context }: OAuth,
  fields: Readonly<Record<string, string | undefined>>,
): Continuation | undefined {
  const { request = '', accepted = '', since = '', chosen = '', mac = '' } = fields;
  const query = Buffer.from(request, 'base64url').toString();
  if (query === '' || query.length > maxRequestLength) return undefined;
  if (!keys.macKeys.matches(purpose, signed(query, accepted, since, chosen), mac)) return { query, progress: {} };
  const fresh = (at: string) => (at !== '' && context.now() - Number(at) < signInTimeoutMs ? Number(at) : undefined);
  const progress = { signInStartedAt: fresh(since), chosenSessionId: chosen || undefined };
  return { query, progress, acceptedAt: fresh(accepted) };
}

/** The application to which the user is about to sign in, for the login page. */
export type Destination = NonNullable<Awaited<ReturnType<typeof findDestination>>>;

const maxHintLength = 320;

function ignoreProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

/** An unreachable level is reported when the request continues. */
function levelIn(parameters: AuthorizationParameters): Acr | undefined {
  try {
    return requestedAcr(parameters);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return undefined;
  }
}

/** Finds the application to which the local path `next` leads, if any. */
export async function findDestination(oauth: OAuth, next: string | undefined) {
  if (!next?.startsWith(`${continuePath}?`)) return undefined;
  const fields = Object.fromEntries(new URLSearchParams(next.slice(continuePath.length + 1)));
  const continuation = readContinuation(oauth, fields);
  if (!continuation) return undefined;
  const { query, progress } = continuation;
  const queryParameters = readAuthorizationParameters(query);
  const resolved = await resolveParameters(oauth, queryParameters, { isAccepted: true }).catch(ignoreProblem);
  if (!resolved) return undefined;
  const { parameters } = resolved;
  // Errors are reported when the request continues.
  const validated = await validateClient(oauth.clients, parameters).catch(ignoreProblem);
  if (!validated) return undefined;
  const hint = singleValue(parameters, 'login_hint');
  const acr = levelIn(parameters);
  const level: { readonly acr_values?: Acr } = acr === undefined ? {} : { acr_values: acr };
  return {
    application: validated.client.name,
    loginHint: hint && hint.length <= maxHintLength ? hint : undefined,
    /** The provider that the application wants the user to sign in with. */
    idpHint: singleValue(parameters, 'idp_hint'),
    /** The requirements of the application for the sign-in. */
    requirements: Object.fromEntries(
      ['prompt', 'max_age', 'acr_values'].flatMap((name) => {
        const value = singleValue(parameters, name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    /** The level that the application requires, for the login of this service. */
    level,
    formTargets: formTargets(validated.redirectUri),
    /** Whether this session is sufficient. Otherwise the user must sign in again. */
    async accepts(caller: Caller) {
      const login = await findBrowserLogin(oauth, caller);
      return (
        login !== undefined && (progress.signInStartedAt === undefined || login.authTime >= progress.signInStartedAt)
      );
    },
  };
}

/**
 * The possible final targets of a page's form, for `form-action`. Chromium applies it to all following redirects,
 * including redirects of the application's own pages. So it names only the scheme: an origin would block an application
 * that redirects to another host, and `[::1]` cannot be written there at all.
 */
export const formTargets = (redirectUri: string): string => `${redirectUri.slice(0, redirectUri.indexOf(':'))}:`;
