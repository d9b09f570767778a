import { mock } from 'node:test';
import { runCommand } from '../../src/cli/run-command.ts';
import type { Outcome } from './command.ts';

/**
 * Runs `gatehouse ARGS` in this process, with only these settings. A separate process for each command would take
 * seconds.
 */
export async function gatehouseHere(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Omit<Outcome, 'signal'>> {
  const output = { stdout: '', stderr: '' };
  const say = (stream: keyof typeof output) => (text: unknown) => {
    output[stream] += `${text}\n`;
  };
  const mocks = [mock.method(console, 'log', say('stdout')), mock.method(console, 'error', say('stderr'))];
  const before = { ...process.env };
  const dir = process.cwd();
  try {
    process.env = { PATH: before.PATH, HOME: before.HOME, ...env };
    process.chdir(cwd);
    return { code: await runCommand(args), ...output };
  } finally {
    process.env = before;
    process.chdir(dir);
    for (const { mock: one } of mocks) one.restore();
  }
}
