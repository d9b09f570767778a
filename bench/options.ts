import { parseArgs } from 'node:util';
import { closestName } from '../src/platform/closest-name.ts';

export const parts = ['operations', 'engines', 'workers', 'growth', 'day', 'isolation', 'changes', 'flames'] as const;
export const operations = [
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
  --quick               a short run that only shows that the benchmark works
  --only a,b            only these parts: ${parts.join(', ')}
  --against commit      compares this checkout with another commit, instead of running the parts
  --operations a,b      only these operations, such as "get,list"
  --workers n           the number of workers to compare with one process (default 2)
  --rounds n            the number of rounds for each operation and server (default 9); the result is the median
  --seconds n           the length of a round (default 1)
  --sizes a,b           the table sizes for growth (default 10000,100000,1000000)
  --no-postgres         SQLite only
  --no-peers            do not compare with other servers
  --out folder          the folder for the results (default bench/results)`;

function fail(message: string): never {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
}

function names<T extends string>(option: string, text: string | undefined, known: readonly T[]): readonly T[] {
  if (text === undefined) return known;
  const requested = text.split(',').map((name) => name.trim());
  const unknown = requested.find((name) => !(known as readonly string[]).includes(name));
  if (unknown === undefined) return requested as T[];
  const closest = closestName(unknown, known);
  return fail(
    `--${option}: there is no "${unknown}"${closest ? `; did you mean "${closest}"?` : '.'} Expected one of: ${known.join(', ')}.`,
  );
}

function wholeNumber(option: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  return /^[1-9]\d{0,3}$/.test(text)
    ? Number(text)
    : fail(`--${option} must be a whole number from 1 to 9999, not "${text}".`);
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

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
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
export function readOptions(args: readonly string[] = process.argv.slice(2)) {
  const values = parse(args);
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
