import type { FastifyReply } from 'fastify';
import { message } from '../../../src/config/languages/message.ts';
import { requestSource } from '../../../src/http/request-source.ts';
import { findUser, findUserByLogin } from '../../../src/identity/accounts/user-store.ts';
import type { PageKit, PageRequest } from '../../../src/pages/kit/page-request.ts';
import { type Caller, isAdmin } from '../../../src/platform/caller.ts';
import { forbidden } from '../../../src/platform/errors.ts';
import { recordEvent } from '../../../src/resources/audit/record-event.ts';
import { failureMeanings, type ProviderFailure } from '../client/failure-meanings.ts';
import type { ProviderClient } from '../client/provider-client.ts';
import type { Upstream } from '../client/upstream.ts';
import { findIdentity } from '../sign-in/identity-store.ts';
import { mapClaims } from '../sign-in/map-claims.ts';
import { callerOf } from './provider-link.ts';
import {
  labelOf,
  type ProviderResponse,
  type ProviderServices,
  providerOf,
  showProviderFailure,
} from './provider-services.ts';
import { recordFailure, sendToProvider } from './send-to-provider.ts';

/** The test sign-in of administrators: signs in at the provider, shows the result, and changes nothing. */
export function serveProviderTest(kit: PageKit, services: ProviderServices): void {
  kit.page('/login/with/:name/test', 'auth:web', async (pageRequest) => {
    const { caller } = pageRequest.request;
    requireAdministrator(caller);
    const provider = await providerOf(services, pageRequest);
    const { userId, sessionId } = caller;
    const beginning = { purpose: 'test', userId, sessionId, forwarded: {} } as const;
    return sendToProvider(pageRequest, services, provider, beginning);
  });
}

function requireAdministrator(caller: Caller): void {
  if (!isAdmin(caller)) throw forbidden('The test sign-in is for administrators.');
}

/** The callback of the provider, with a user or an error. Only for the session that began the test. */
export async function finishTest(
  pageRequest: PageRequest,
  services: ProviderServices,
  {
    provider,
    attempt,
    upstream,
  }: Omit<ProviderResponse, 'upstream'> & { readonly upstream: Upstream | ProviderFailure },
): Promise<FastifyReply> {
  const caller = await callerOf(pageRequest, attempt);
  const label = labelOf(provider);
  if (!caller) return showProviderFailure(pageRequest, { failure: 'expired', label });
  requireAdministrator(caller);
  const outcome = await outcomeOf(services, pageRequest, provider, upstream);
  const { name } = provider.definition;
  const { userId, sessionId } = caller;
  const data = { provider: name, result: 'failure' in outcome ? outcome.failure.code : 'ok' };
  const of = { rowId: name, userId, sessionId, source: requestSource(pageRequest.request), data };
  await recordEvent(services.context, services.context.database.db, { type: 'provider.tested', ...of });
  return pageRequest.show('provider-test', {
    title: message('failure' in outcome ? 'provider.test.failed' : 'provider.test.succeeded', { provider: label }),
    ...outcome,
    back: `/admin/providers/${name}/show`,
  });
}

async function outcomeOf(
  services: ProviderServices,
  pageRequest: PageRequest,
  provider: ProviderClient,
  upstream: Upstream | ProviderFailure,
) {
  const failed = (failure: ProviderFailure) => ({
    failure: { ...failure, meaning: message(failureMeanings[failure.code]) },
  });
  if ('code' in upstream) return failed(upstream);
  const seen = { upstream, claims: JSON.stringify(upstream.claims, null, 2) };
  try {
    const { roles } = mapClaims(services.context, provider.definition, upstream);
    return { ...seen, roles, happens: message(await signInEffect(services, upstream)) };
  } catch (error) {
    return { ...seen, ...failed(await recordFailure(services, pageRequest, provider, error)) };
  }
}

/** The effect that a sign-in of this user would have. */
async function signInEffect({ context }: ProviderServices, upstream: Upstream): Promise<string> {
  const { database, config } = context;
  const identity = await findIdentity(database.db, upstream);
  if (identity) {
    const user = await findUser(database.db, identity.user_id);
    return user?.disabled ? 'provider.test.disabled' : 'provider.test.known';
  }
  const { email } = upstream;
  const owner = email === null ? undefined : await findUserByLogin(database.db, { attribute: 'email', value: email });
  if (owner) return 'provider.test.taken';
  return config.registration === 'open' ? 'provider.test.new' : 'provider.test.closed';
}
