import { randomBytes } from 'node:crypto';

/** 40 bits, written in hexadecimal. */
export const newHistoryId = (): string => randomBytes(5).toString('hex');
