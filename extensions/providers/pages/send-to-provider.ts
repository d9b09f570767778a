import type { FastifyReply } from 'fastify';
import { requestSource } from '../../../src/http/request-source.ts';
import type { PageRequest } from '../../../src/pages/kit/page-request.ts';
import { visitorOf } from '../../../src/pages/session/csrf.ts';
import { recordEvent } from '../../../src/resources/audit/record-event.ts';
import type { ProviderFailure } from '../client/failure-meanings.ts';
import type { ProviderClient } from '../client/provider-client.ts';
import { describeFailure } from '../client/provider-failure.ts';
import { beginAttempt, type NewAttempt } from '../sign-in/begin-attempt.ts';
import { recordProviderFailure } from '../sign-in/provider-store.ts';
import { labelOf, type ProviderServices, showProviderFailure } from './provider-services.ts';

/** The address for the browser. Undefined if the provider is unreachable. Then the failure is recorded. */
export async function beginAtProvider(
  pageRequest: PageRequest,
  services: ProviderServices,
  provider: ProviderClient,
  beginning: Omit<NewAttempt, 'visitor'>,
): Promise<URL | undefined> {
  const visitor = visitorOf(pageRequest.kit.cookies, pageRequest.request, pageRequest.reply);
  try {
    return await beginAttempt(services.context, services.oauth.keys, provider, { ...beginning, visitor });
  } catch (error) {
    await recordFailure(services, pageRequest, provider, error);
    return undefined;
  }
}

/** Redirects to the provider, or shows that the provider is unreachable. */
export async function sendToProvider(
  pageRequest: PageRequest,
  services: ProviderServices,
  provider: ProviderClient,
  beginning: Omit<NewAttempt, 'visitor'>,
): Promise<FastifyReply> {
  const url = await beginAtProvider(pageRequest, services, provider, beginning);
  if (url) return pageRequest.reply.header('cache-control', 'no-store').redirect(url.href, 302);
  return showProviderFailure(pageRequest, { failure: 'down', label: labelOf(provider), next: beginning.next });
}

/** Records a failure in the log, for the console, and in the audit trail. */
export async function recordFailure(
  { context }: ProviderServices,
  pageRequest: PageRequest,
  { definition: { name } }: ProviderClient,
  error: unknown,
): Promise<ProviderFailure> {
  const failure = describeFailure(error);
  context.log.warn({ err: error, provider: name }, 'a sign-in with a provider failed');
  context.metrics.logins.inc({ result: 'refused' });
  const { db } = context.database;
  await recordProviderFailure(db, name, failure, context.now());
  const data = { provider: name, failure: failure.code, reason: failure.detail };
  await recordEvent(context, db, {
    type: 'provider.failed',
    rowId: name,
    source: requestSource(pageRequest.request),
    data,
  });
  return failure;
}
