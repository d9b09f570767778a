import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest, InjectOptions, LightMyRequestResponse } from 'fastify';
import { codeOf, unavailable } from '../platform/errors.ts';

const name = 'gatehouse-internal';
const secret = randomUUID();

/** Marks a request that a part of the service sends to the API inside the process. The value is secret. */
export const internalHeader = { [name]: secret };

/** Such a request expects our own responses, even if the service responds to others like an earlier one (COMPAT). */
export const isInternal = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean => headers[name] === secret;

/** Sends a request to a route inside the process. Fastify refuses it while the service stops. */
export async function requestInside(
  app: Pick<FastifyInstance, 'inject'>,
  options: InjectOptions,
): Promise<LightMyRequestResponse> {
  try {
    return await app.inject(options);
  } catch (error) {
    if (codeOf(error) === 'FST_ERR_REOPENED_CLOSE_SERVER')
      throw unavailable('The service is stopping. Try again.', 1, 'stopped');
    throw error;
  }
}
