import {
  type AuthorizationParameters,
  only,
  readAuthorizationParameters,
} from '../../oauth/authorize/authorization-parameters.ts';
import { resolveClient } from '../../oauth/authorize/authorization-request.ts';
import { effectiveParameters } from '../../oauth/authorize/effective-parameters.ts';
import { findLogin } from '../../oauth/authorize/login.ts';
import { requestedAcr } from '../../oauth/authorize/requested-acr.ts';
import type { OAuth } from '../../oauth/oauth.ts';
import type { Caller } from '../../platform/caller.ts';
import { OAuthError, Problem } from '../../platform/errors.ts';
import type { Acr } from '../../platform/proof.ts';
import type { Continuations } from './continuations.ts';

/** The application that somebody is about to sign in to, as the login page needs to know it. */
export interface Destination {
  readonly application: string;
  readonly loginHint: string | undefined;
  /** The name of the provider that the application wants the person to sign in with. */
  readonly idpHint: string | undefined;
  /** The requirements of the application for the sign-in. */
  readonly asks: { readonly prompt?: string; readonly max_age?: string; readonly acr_values?: string };
  /** The level that the application requires, for the login of this service. */
  readonly level: { readonly acr_values?: Acr };
  readonly formTargets: string;
  /** Whether this session does, or they have to sign in for it. */
  accepts(caller: Caller): Promise<boolean>;
}

/** Of `next`, where it leads on to an application. */
export type FindDestination = (next: string | undefined) => Promise<Destination | undefined>;

const longestHint = 320;

function ifProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

/** A level that nobody can reach is reported when the person comes back. */
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
  ): FindDestination =>
  async (next) => {
    const continuation = continuations.readPath(next);
    if (!continuation) return undefined;
    const { query, progress } = continuation;
    const sent = readAuthorizationParameters(query);
    const effective = await effectiveParameters(oauth, sent, { resumed: true }).catch(ifProblem);
    if (!effective) return undefined;
    const { parameters } = effective;
    // Its mistakes are reported when it is sent back.
    const asking = await resolveClient(oauth.clients, parameters).catch(ifProblem);
    if (!asking) return undefined;
    const hint = only(parameters, 'login_hint');
    const acr = levelIn(parameters);
    return {
      application: asking.client.name,
      loginHint: hint && hint.length <= longestHint ? hint : undefined,
      idpHint: only(parameters, 'idp_hint'),
      asks: Object.fromEntries(
        ['prompt', 'max_age', 'acr_values'].flatMap((name) => {
          const value = only(parameters, name);
          return value === undefined ? [] : [[name, value]];
        }),
      ),
      level: acr === undefined ? {} : { acr_values: acr },
      formTargets: formTargets(asking.redirectUri),
      async accepts(caller) {
        const login = await findLogin(oauth, caller);
        return login !== undefined && (progress.since === undefined || login.authTime >= progress.since);
      },
    };
  };

/**
 * Where the form of a page may lead in the end, for `form-action`. Chromium applies it to every redirect that follows, those
 * of the application's own pages included, wherever they lead. So it names the scheme: an origin would stop an application
 * that goes on to another host of its own, and the address of `[::1]` cannot be written there at all.
 */
export const formTargets = (redirectUri: string): string => `${redirectUri.slice(0, redirectUri.indexOf(':'))}:`;
