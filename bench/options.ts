import { parseArgs } from 'node:util';
import { closestName } from '../src/platform/closest-name.ts';

export const parts = ['operations', 'engines', 'workers', 'growth', 'day', 'isolation', 'changes', 'flames'] as const;
export const operations = [
  'same bytes',
  'get',
  'get any',
  'not modified',
  'list',
  'search',
  'page with include',
  'cursor page',
  'create',
  'client credentials',
  'refresh',
  'introspection',
  'password',
  'register',
] as const;

const usage = `npm run bench [-- options]
  --quick               a few seconds: shows that the benchmark works, measures nothing worth noting
  --only a,b            some of: ${parts.join(', ')}
  --against commit      builds another commit, and measures it and this one in turns instead of the parts
  --operations a,b      of what is measured, some: "get,list"
  --workers n           how many are compared with one (default 2)
  --rounds n            how often each operation is measured on each server (default 9); the median counts
  --seconds n           how long each time (default 1)
  --sizes a,b           rows that growth is measured at (default 10000,100000,1000000)
  --no-postgres         SQLite alone
  --no-peers            without the servers of others
  --out folder          where results go (default bench/results)`;

function fail(what: string): never {
  console.error(`${what}\n\n${usage}`);
  process.exit(2);
}

function names<T extends string>(option: string, text: string | undefined, known: readonly T[]): readonly T[] {
  if (text === undefined) return known;
  const given = text.split(',').map((name) => name.trim());
  const unknown = given.find((name) => !(known as readonly string[]).includes(name));
  if (unknown === undefined) return given as T[];
  const meant = closestName(unknown, known);
  return fail(
    `--${option}: there is no "${unknown}"${meant ? `; did you mean "${meant}"?` : '.'} There are: ${known.join(', ')}.`,
  );
}

function wholeNumber(option: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  return /^[1-9]\d{0,3}$/.test(text)
    ? Number(text)
    : fail(`--${option} must be a whole number of at least 1, not "${text}".`);
}

/** The minimum size: cursors point some hundred rows into a list. */
function sizesOf(text: string | undefined, fallback: readonly number[]): readonly number[] {
  if (text === undefined) return fallback;
  const sizes = text.split(',').map((each) => Number(each.trim()));
  const good = sizes.length > 1 && sizes.every((size) => Number.isInteger(size) && size >= 1000 && size <= 1e8);
  return good
    ? sizes.sort((a, b) => a - b)
    : fail(`--sizes must be two or more whole numbers of at least 1000, separated by commas, not "${text}".`);
}

function parse() {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        rounds: { type: 'string' },
        workers: { type: 'string' },
        seconds: { type: 'string' },
        sizes: { type: 'string' },
        operations: { type: 'string' },
        against: { type: 'string' },
        'no-postgres': { type: 'boolean', default: false },
        'no-peers': { type: 'boolean', default: false },
        out: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

/** The options of the command line. A mistake prints the valid options and ends the process. */
export function readOptions() {
  const values = parse();
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  const { quick } = values;
  return {
    against: values.against,
    parts: values.against && !values.only ? [] : names('only', values.only, parts),
    plan: {
      rounds: wholeNumber('rounds', values.rounds, quick ? 1 : 9),
      seconds: wholeNumber('seconds', values.seconds, 1),
      sizes: sizesOf(values.sizes, quick ? [1_000, 10_000] : [10_000, 100_000, 1_000_000]),
      connections: 32,
      workers: wholeNumber('workers', values.workers, 2),
      quick,
      peers: !values['no-peers'],
      operations: names('operations', values.operations, operations),
    },
    postgres: !values['no-postgres'],
    out: values.out,
  };
}
