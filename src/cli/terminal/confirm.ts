import { createInterface } from 'node:readline/promises';
import { OperatorError } from '../../platform/errors.ts';

/** Goes on where somebody says yes on the terminal. Where nobody can be asked, only the flag says yes. */
export async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new OperatorError(`${question}\nNothing was changed. Run the command again with --yes.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('Nothing was changed.');
  } finally {
    terminal.close();
  }
}
