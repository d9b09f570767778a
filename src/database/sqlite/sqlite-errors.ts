import { reasonOf, unavailable } from '../../platform/errors.ts';

export const errcodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;

const resultCode = (error: unknown): number => (errcodeOf(error) ?? 0) & 0xff;

/** No permission, busy, locked, no memory, read-only, I/O error, full, cannot open, locking protocol: a retry may succeed. */
const retryableCodes = new Set([3, 5, 6, 7, 8, 10, 13, 14, 15]);
const diskCodes = new Set([8, 10, 13]);

export const isDiskError = (error: unknown): boolean => diskCodes.has(resultCode(error));

/** For `catch` of a promise. */
export const throwProblem = (error: unknown): never => {
  throw toProblem(error);
};

export function toProblem(error: unknown): unknown {
  if (!retryableCodes.has(resultCode(error))) return error;
  return unavailable('The database cannot store this at the moment. Try again shortly.', 5, reasonOf(error));
}
