import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { progressBar } from '../../src/cli/terminal/progress-bar.ts';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { loadConfig } from '../../src/config/config.ts';
import { OperatorError, reasonOf } from '../../src/platform/errors.ts';
import { commandLog } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import type { Progress } from '../../src/platform/progress.ts';
import type { Progress as TableProgress } from './import/pass.ts';

interface Flags {
  from?: string;
  env?: string;
  publicKey?: string;
  users?: string;
  provider?: string[];
  timezone?: string;
  scopes?: string;
  map?: string;
  prefix?: string;
  guard?: string[];
  role?: string[];
  model?: string[];
  rolesWhere?: string[];
  disableWhere?: string[];
  ignoreColumn?: string[];
  clientScopes?: string[];
  social?: string[];
  accept?: string[];
  verify?: string[];
  dryRun?: boolean;
  confirmGone?: boolean;
  json?: boolean;
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

export function addImportPassport(group: Command): void {
  group
    .command('passport')
    .description(
      'Import the users, clients and sessions of a Laravel Passport or Apiato service. Nobody is signed out.',
    )
    .option('--from <url>', 'the old database: mysql://…, postgres://… or sqlite:PATH (default: the one in --env)')
    .option('--env <file>', 'the .env file of the old service, with APP_KEY and other settings')
    .option('--public-key <file>', 'the file storage/oauth-public.key of the old service')
    .option('--users <table>', 'the table of users (default: users)')
    .option('--provider <name=table>', 'the table of users of a Laravel auth provider; may be repeated', collect)
    .option('--timezone <zone>', "the application's time zone (default: APP_TIMEZONE, else UTC)")
    .option('--scopes <file>', 'a JSON file that maps old scopes to new ones: {"orders-read": "orders:read"}')
    .option('--map <file>', 'a JSON file that maps columns of users and permissions of roles')
    .option('--prefix <prefix>', 'the prefix of the tables (default: detected)')
    .option(
      '--guard <name>',
      'a guard whose roles are imported (default: api, or the only one); may be repeated',
      collect,
    )
    .option('--role <old=new>', 'the new name of a role; may be repeated', collect)
    .option('--model <class=table>', 'the table for a model_type of roles; may be repeated', collect)
    .option('--roles-where <column=value>', 'import only these rows of model_has_roles; may be repeated', collect)
    .option(
      '--disable-where <condition>',
      'import the matching users as disabled: is_active=0, status!=ok, banned_at; may be repeated',
      collect,
    )
    .option('--ignore-column <column>', 'a column to ignore, of users or TABLE.COLUMN; may be repeated', collect)
    .option(
      '--client-scopes <id=scopes>',
      'the scopes that a client can request: 3=orders:read,…; may be repeated',
      collect,
    )
    .option('--social <old=new>', 'the new name of a Socialite provider; may be repeated', collect)
    .option('--accept <decision>', 'accept the decision with this name in the report; may be repeated', collect)
    .option(
      '--verify <token>',
      'first check that this existing token works (@FILE: the token in a file); may be repeated',
      collect,
    )
    .option('--dry-run', 'show the plan, and change nothing')
    .option('--confirm-gone', 'confirm that many users were deleted in the old service since the last import')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      `
The command only reads the old database. A second run imports the changes since
the first. To continue an interrupted run, run the command again. It exits with
1 while a decision is open. Guide: docs/moving-from-laravel.md

Examples:
  gatehouse import passport --dry-run --env /srv/app/.env \\
    --public-key /srv/app/storage/oauth-public.key`,
    )
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  if (flags.from === undefined && flags.env === undefined) {
    throw new UsageError('Say where the database of the old service is: --from, or --env with its .env file.');
  }
  // Imported here and not above: the other commands do not need this module and start faster.
  const { importPassport } = await import('./import-passport.ts');
  const { writeReport } = await import('./report/report.ts');
  const config = await loadConfig();
  const log = commandLog();
  const bars = barOfEachTable();
  const report = await importPassport(
    { config, log, metrics: createMetrics() },
    {
      from: flags.from,
      env: flags.env,
      publicKey: flags.publicKey,
      users: flags.users,
      providers: pairs('--provider', flags.provider),
      timezone: flags.timezone,
      scopesFile: flags.scopes,
      mapFile: flags.map,
      prefix: flags.prefix,
      guards: flags.guard ?? [],
      roles: pairs('--role', flags.role),
      models: pairs('--model', flags.model),
      rolesWhere: pairs('--roles-where', flags.rolesWhere),
      disableWhere: flags.disableWhere ?? [],
      ignoredColumns: new Set(flags.ignoreColumn),
      clientScopes: pairs('--client-scopes', flags.clientScopes),
      social: pairs('--social', flags.social),
      accept: flags.accept ?? [],
      verify: (flags.verify ?? []).map(tokenOf),
      dryRun: flags.dryRun ?? false,
      confirmGone: flags.confirmGone ?? false,
    },
    { progress: bars.show, verified: (result) => console.error(result) },
  ).finally(bars.end);
  console.log(flags.json ? JSON.stringify(report, null, 2) : writeReport(report));
  const { length } = report.decisions;
  if (length > 0)
    throw new OperatorError(length === 1 ? 'one thing needs a decision' : `${length} things need a decision`);
}

/** Splits at the last `=`: class names and tables do not contain it. */
function pairs(option: string, values: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    values.map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at < 1 || at === pair.length - 1) throw new UsageError(`${option} takes NAME=VALUE, not "${pair}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function tokenOf(text: string): string {
  if (!text.startsWith('@')) return text.trim();
  try {
    return readFileSync(text.slice(1), 'utf8').trim();
  } catch (error) {
    throw new OperatorError(`--verify: ${text.slice(1)} could not be read: ${reasonOf(error)}`);
  }
}

/** A bar on a terminal, or a log line at each tenth. */
function barOfEachTable(): { show(progress: TableProgress): void; end(): void } {
  let now: { readonly table: string; readonly bar: Progress; seen: number } | undefined;
  return {
    show({ table, completed, total }) {
      if (now?.table !== table) {
        now?.bar.end();
        now = { table, bar: progressBar(total, table), seen: 0 };
      }
      now.bar.advance(completed - now.seen, `${table}: ${completed.toLocaleString('en')} rows`);
      now.seen = completed;
    },
    end: () => now?.bar.end(),
  };
}
