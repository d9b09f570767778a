import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import pino from 'pino';
import { progressBar } from '../../src/cli/terminal/progress-bar.ts';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { loadConfig } from '../../src/config/config.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { createLog } from '../../src/platform/log.ts';
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
  guard?: string;
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
    .description('Take over a Laravel Passport or Apiato service, with nobody signed out.')
    .option('--from <url>', 'its database: mysql://…, postgres://… or sqlite:PATH (default: what --env says)')
    .option('--env <file>', 'its .env, for APP_KEY and what else is there')
    .option('--public-key <file>', 'its storage/oauth-public.key')
    .option('--users <table>', 'its table of users (default: users)')
    .option('--provider <name=table>', 'the table of users of a provider that clients name; may be repeated', collect)
    .option('--timezone <zone>', "the application's time zone (default: APP_TIMEZONE, else UTC)")
    .option('--scopes <file>', 'what its scopes stand for here, as JSON: {"orders-read": "orders:read"}')
    .option('--map <file>', 'what columns of users and permissions of roles become here, as JSON')
    .option('--prefix <prefix>', 'what its tables are prefixed with (default: found)')
    .option('--guard <name>', 'the guard whose roles count (default: api, or the only one)')
    .option('--role <old=new>', 'what a role is called here; may be repeated', collect)
    .option('--model <class=table>', 'the table that a model_type of roles means; may be repeated', collect)
    .option('--roles-where <column=value>', 'which rows of model_has_roles count; may be repeated', collect)
    .option(
      '--disable-where <condition>',
      'who is disabled: is_active=0, status!=ok, banned_at; may be repeated',
      collect,
    )
    .option(
      '--ignore-column <column>',
      'a column that means nothing, of users or TABLE.COLUMN; may be repeated',
      collect,
    )
    .option('--client-scopes <id=scopes>', 'what a client may ask for: 3=orders:read,…; may be repeated', collect)
    .option('--social <old=new>', 'what a provider of Socialite is called here; may be repeated', collect)
    .option('--accept <decision>', 'leave it as the report says under this name; may be repeated', collect)
    .option(
      '--verify <token>',
      'first try a token that somebody holds (@FILE: the token in a file); may be repeated',
      collect,
    )
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--confirm-gone', 'many users of the pass before are gone there, and that is right')
    .option('--json', 'the report as JSON')
    .addHelpText(
      'after',
      `
The old database is only read. A second run takes up what changed since the
first, and one that broke off is started again. It exits with 1 where something
needs a decision. The whole move: docs/moving-from-laravel.md

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
  // Here and not above: the other commands need none of it, and start the sooner.
  const { importPassport } = await import('./import-passport.ts');
  const { writeReport } = await import('./report/write-report.ts');
  const config = await loadConfig();
  const log = createLog('warn', false, pino.destination({ dest: 2, sync: true }));
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
      guard: flags.guard,
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
    { progress: bars.show, verified: (verdict) => console.error(verdict) },
  ).finally(bars.end);
  console.log(flags.json ? JSON.stringify(report, null, 2) : writeReport(report));
  const { length } = report.decisions;
  if (length > 0)
    throw new OperatorError(length === 1 ? 'one thing needs a decision' : `${length} things need a decision`);
}

/** At the last sign: class names hold none, and neither do tables. */
function pairs(option: string, given: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    given.map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at < 1 || at === pair.length - 1) throw new UsageError(`${option} takes NAME=VALUE, not "${pair}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function tokenOf(given: string): string {
  if (!given.startsWith('@')) return given.trim();
  try {
    return readFileSync(given.slice(1), 'utf8').trim();
  } catch (error) {
    throw new OperatorError(`--verify: ${given.slice(1)} could not be read: ${(error as Error).message}`);
  }
}

/** A bar for a person who watches, a line at each tenth for a log. */
function barOfEachTable(): { show(progress: TableProgress): void; end(): void } {
  let now: { readonly table: string; readonly bar: Progress; seen: number } | undefined;
  return {
    show({ table, done, total }) {
      if (now?.table !== table) {
        now?.bar.end();
        now = { table, bar: progressBar(total, table), seen: 0 };
      }
      now.bar.advance(done - now.seen, `${table}: ${done.toLocaleString('en')} rows`);
      now.seen = done;
    },
    end: () => now?.bar.end(),
  };
}
