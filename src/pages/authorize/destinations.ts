import {
  type AuthorizationParameters,
  maxRequestLength,
  readAuthorizationParameters,
  requestedAcr,
  singleValue,
} from '../../oauth/authorize/authorization-parameters.ts';
import { validateClient } from '../../oauth/authorize/authorization-request.ts';
import { findBrowserLogin, type Progress } from '../../oauth/authorize/next-step.ts';
import { resolveParameters } from '../../oauth/authorize/resolve-parameters.ts';
import type { OAuth } from '../../oauth/oauth.ts';
import type { Caller } from '../../platform/caller.ts';
import { OAuthError, Problem } from '../../platform/errors.ts';
import type { Acr } from '../../platform/proof.ts';
import type { Macs } from '../session/csrf.ts';

/** An authorization request on its way through other pages, as the application sent it, with the completed steps. */
export interface Continuation {
  readonly query: string;
  readonly progress: Progress;
}

export const continuePath = '/oauth/authorize/continue';

/** The lifetime of completed steps, in milliseconds. */
const lifetimeMs = 3_600_000;
const purpose = 'authorization request';

/** Carries requests through the login without storing them. A MAC prevents applications from forging a sign-in. */
export class Continuations {
  readonly #keys: Macs;
  readonly #now: () => number;

  constructor(keys: Macs, now: () => number) {
    this.#keys = keys;
    this.#now = now;
  }

  /** The form of a continuation in an address or in a form. */
  fields({ query, progress }: Continuation) {
    const since = String(progress.signInStartedAt ?? '');
    const chosen = progress.chosenSessionId ?? '';
    const mac = since || chosen ? this.#keys.macKeys.mac(purpose, signed(query, since, chosen)) : '';
    return { request: Buffer.from(query).toString('base64url'), since, chosen, mac };
  }

  path(continuation: Continuation): string {
    const fields = Object.entries(this.fields(continuation)).filter(([, value]) => value !== '');
    return `${continuePath}?${new URLSearchParams(fields)}`;
  }

  read(fields: Readonly<Record<string, string | undefined>>): Continuation | undefined {
    const { request = '', since = '', chosen = '', mac = '' } = fields;
    const query = Buffer.from(request, 'base64url').toString();
    if (query === '' || query.length > maxRequestLength) return undefined;
    if (!this.#keys.macKeys.matches(purpose, signed(query, since, chosen), mac)) return { query, progress: {} };
    const at = since === '' ? undefined : Number(since);
    const isFresh = at !== undefined && this.#now() - at < lifetimeMs;
    return { query, progress: { signInStartedAt: isFresh ? at : undefined, chosenSessionId: chosen || undefined } };
  }

  /** Reads the request that a local path leads to, if any. */
  readPath(path: string | undefined): Continuation | undefined {
    if (!path?.startsWith(`${continuePath}?`)) return undefined;
    return this.read(Object.fromEntries(new URLSearchParams(path.slice(continuePath.length + 1))));
  }
}

const signed = (query: string, since: string, chosen: string): string => `${since}\n${chosen}\n${query}`;

/** Finds the application to which `next` leads, if any. */
export type FindDestination = ReturnType<typeof createDestinations>;
/** The application to which the user is about to sign in, for the login page. */
export type Destination = NonNullable<Awaited<ReturnType<FindDestination>>>;

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

export const createDestinations =
  (
    oauth: Pick<OAuth, 'context' | 'clients' | 'clientKeys' | 'scopes' | 'legacyScopes'>,
    continuations: Continuations,
  ) =>
  async (next: string | undefined) => {
    const continuation = continuations.readPath(next);
    if (!continuation) return undefined;
    const { query, progress } = continuation;
    const queryParameters = readAuthorizationParameters(query);
    const resolved = await resolveParameters(oauth, queryParameters, { resumed: true }).catch(ignoreProblem);
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
  };

/**
 * The possible final targets of a page's form, for `form-action`. Chromium applies it to all following redirects,
 * including redirects of the application's own pages. So it names only the scheme: an origin would block an application
 * that redirects to another host, and `[::1]` cannot be written there at all.
 */
export const formTargets = (redirectUri: string): string => `${redirectUri.slice(0, redirectUri.indexOf(':'))}:`;
