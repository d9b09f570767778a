import { codeOf, Problem, reasonOf, unavailable } from '../../../platform/errors.ts';

/**
 * SQLSTATEs and socket errors after which a retry may succeed. 25006: the server accepts no writes. 25P03 and 25P04: a transaction paused
 * or took too long. 53: no disk, memory or connection left. 58030: a disk error.
 */
const connectionCodes =
  /^(08...|25006|25P0[34]|53[1-4]00|55P03|57P0[1-5]|58030|ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOENT)$/;
const connectionMessages =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout/;

export const isConnectionError = (error: unknown): boolean =>
  connectionCodes.test(codeOf(error) ?? '') || connectionMessages.test(reasonOf(error));

export const isDiskError = (error: unknown): boolean => ['53100', '58030'].includes(codeOf(error) ?? '');

/** The server has ended the statement at its limit. */
export const isCanceled = (error: unknown): boolean => codeOf(error) === '57014';

export function toProblem(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (isCanceled(error)) return unavailable('The database took too long. Try again shortly.', 5, reasonOf(error));
  if (!isConnectionError(error)) return error;
  return unavailable('The database cannot store this at the moment. Try again shortly.', 5, reasonOf(error));
}

/** Another instance has changed a table since this connection planned the statement. */
export const isStalePlan = (error: unknown) => codeOf(error) === '0A000' && /cached plan/.test(reasonOf(error));

/** PostgreSQL has undone the statement to resolve a deadlock, such as a read of two tables with a migration of both. */
export const isDeadlock = (error: unknown): boolean => codeOf(error) === '40P01';
