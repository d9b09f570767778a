import { unavailable } from '../../errors.ts';

/** Busy, locked, read-only, I/O error, full, cannot open: "not now", whatever was asked. */
const awayCodes = new Set([5, 6, 8, 10, 13, 14]);

export function translate(error: unknown): unknown {
  const { errcode, message } = error as { errcode?: number; message?: string };
  if (errcode === undefined || !awayCodes.has(errcode & 0xff)) return error;
  return unavailable('The database cannot take this at the moment. Try again shortly.', 5, message);
}
