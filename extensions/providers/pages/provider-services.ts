import type { FastifyReply } from 'fastify';
import type { ProxiedClient } from '../../../src/config/config.ts';
import { message } from '../../../src/config/languages/message.ts';
import type { Context } from '../../../src/database/context.ts';
import type { OAuth } from '../../../src/oauth/oauth.ts';
import type { PageRequest } from '../../../src/pages/kit/page-request.ts';
import { nextQuery } from '../../../src/pages/session/local-path.ts';
import { notFound } from '../../../src/platform/errors.ts';
import type { ForwardedParameters, ProviderClient } from '../client/provider-client.ts';
import type { Providers } from '../client/providers.ts';
import type { Upstream } from '../client/upstream.ts';
import type { Attempt } from '../sign-in/attempt-store.ts';
import type { LinkServices } from '../sign-in/link-identity.ts';

/** The services of the provider pages, in addition to the page kit. */
export interface ProviderServices extends LinkServices {
  readonly context: Context;
  readonly oauth: OAuth;
  readonly providers: Providers;
  readonly proxiedClients: readonly ProxiedClient[];
}

/** The response of a provider, and the attempt that it belongs to. */
export interface ProviderResponse {
  readonly provider: ProviderClient;
  readonly attempt: Attempt;
  readonly upstream: Upstream;
}

export const nameIn = (pageRequest: PageRequest): string => pageRequest.param('name');

export const labelOf = ({ button }: ProviderClient): string => button.label;

/** The provider in the address. A disabled provider is not found. */
export async function providerOf({ providers }: ProviderServices, pageRequest: PageRequest): Promise<ProviderClient> {
  const provider = await providers.find(nameIn(pageRequest));
  if (!provider) throw notFound('There is no such provider.');
  return provider;
}

const prompts = ['none', 'login', 'consent', 'select_account', 'create'];

/** The parameters for the provider: from the URL, or from the application's request. */
export function readForwardedParameters(parameters: Readonly<Record<string, unknown>>): ForwardedParameters {
  const text = (name: string) => {
    const value = parameters[name];
    return typeof value === 'string' && value !== '' && value.length <= 500 ? value : undefined;
  };
  const maxAge = text('max_age');
  const prompt = text('prompt')
    ?.split(' ')
    .filter((word) => prompts.includes(word))
    .join(' ');
  return {
    prompt: prompt || undefined,
    maxAge: maxAge !== undefined && /^\d{1,9}$/.test(maxAge) ? Number(maxAge) : undefined,
    acrValues: text('acr_values'),
    loginHint: text('login_hint'),
  };
}

type Failure = 'expired' | 'denied' | 'failed' | 'down' | 'other_account' | 'identity_taken' | 'login_required';

const statuses: Readonly<Record<Failure, number>> = {
  expired: 400,
  denied: 400,
  login_required: 400,
  failed: 502,
  down: 503,
  other_account: 403,
  identity_taken: 409,
};

/** A page with the error and its remedy. */
export function showProviderFailure(
  pageRequest: PageRequest,
  { failure, label, next }: { failure: Failure; label: string; next?: string | null | undefined },
): Promise<FastifyReply> {
  const query = nextQuery(next ?? undefined);
  return pageRequest.status(statuses[failure]).show('message', {
    title: message(`provider.${failure}.title`, { provider: label }),
    lines: [message(`provider.${failure}.about`, { provider: label })],
    action: {
      label: message('provider.other_ways'),
      path: `${pageRequest.kit.loginPath}${query}${query ? '&' : '?'}choose=1`,
    },
  });
}
