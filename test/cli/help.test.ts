import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/run-command.ts';
import { ended, startCommand } from '../harness/command.ts';

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text;
}

const all = (command: Command, path: string): [path: string, command: Command][] => [
  [path, command],
  ...command.commands.flatMap((one) => all(one, `${path} ${one.name()}`)),
];

describe('The help of a command', async () => {
  for (const [path, command] of all(await createProgram(), 'gatehouse')) {
    it(`fits the terminal, and describes every option with examples: ${path}`, () => {
      const help = helpOf(command);
      for (const line of help.split('\n')) assert.ok(line.length <= 80, line);
      assert.ok(command.description(), 'the help begins with a description');
      for (const { flags, description } of command.options) assert.ok(description, flags);
      for (const argument of command.registeredArguments) assert.ok(argument.description, argument.name());
      if (command.commands.length === 0) assert.match(help, /^Examples:\n {2}\S/m);
    });
  }

  it('ends without an error if nobody reads it to the end', async () => {
    const child = startCommand(['check', '--help'], '.');
    child.stdout.destroy();
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    assert.deepEqual(await ended(child), [0, null]);
    assert.equal(errors, '');
  });
});
