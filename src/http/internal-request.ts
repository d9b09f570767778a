import { randomUUID } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import type { FastifyRequest, InjectOptions, LightMyRequestResponse as Response } from 'fastify';
import type { App } from './app.ts';

const name = 'gatehouse-internal';
const secret = randomUUID();

/** Marks a request that a part of the service sends to the API inside the process. The value is secret. */
export const internalHeader = { [name]: secret };

/** Such a request expects our own responses, even if the service responds to others like an earlier one (COMPAT). */
export const isInternal = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean => headers[name] === secret;

const uncountedName = `${name}-uncounted`;

/** Marks a request inside the process that belongs to one that the rate limit has already counted. */
export const uncountedHeader = { [uncountedName]: secret };

export const isCounted = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean => headers[uncountedName] !== secret;

/**
 * Sends a request to a route inside the process, also while the service stops: the caller is a request that arrived
 * before. `app.inject` would refuse it.
 */
export async function requestInside({ routing }: Pick<App, 'routing'>, options: InjectOptions): Promise<Response> {
  const { inject } = await import('light-my-request');
  return inject(routing, options);
}

/** Whether a request came over a connection, and not from inside the process. */
export const isFromOutside = ({ raw }: Pick<FastifyRequest, 'raw'>): boolean => raw instanceof IncomingMessage;
