import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { OperatorError } from '../../platform/errors.ts';

/** A password from standard input, or a random one that is shown once. */
export async function readPassword(fromStdin: boolean | undefined): Promise<{ password: string; isMade: boolean }> {
  if (!fromStdin) return { password: randomBytes(15).toString('base64url'), isMade: true };
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === '') throw new OperatorError('--password-stdin: standard input was empty.');
  return { password, isMade: false };
}
