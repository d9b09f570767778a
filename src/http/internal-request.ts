import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

const name = 'gatehouse-internal';
const secret = randomUUID();

/** Marks a request that a part of the service sends to the API inside the process. The value is secret. */
export const internalHeader = { [name]: secret };

/** Such a request gets responses in Gatehouse's own format, even if COMPAT gives others the format of an earlier service. */
export const isInternal = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean => headers[name] === secret;
