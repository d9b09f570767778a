import { type Command, InvalidArgumentError } from 'commander';

/** The options of every list command. */
export interface ListFlags {
  readonly search?: string;
  readonly limit?: number;
  readonly json?: boolean;
}

export const addListOptions = (command: Command): Command =>
  command
    .option('--search <text>', 'only rows that contain this text, ignoring case')
    .option('--limit <number>', 'the maximum number of rows', readLimit)
    .option('--json', 'print JSON');

function readLimit(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It takes a whole number from 1.');
}
