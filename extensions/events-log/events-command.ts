import { type Command, InvalidArgumentError } from 'commander';
import { findUserByText } from '../../src/cli/operator/find-user.ts';
import { withContext } from '../../src/cli/operator/with-context.ts';
import { showTime } from '../../src/cli/terminal/print.ts';
import { printable } from '../../src/cli/terminal/table.ts';
import type { Context } from '../../src/database/context.ts';
import { parseDuration } from '../../src/platform/parse-duration.ts';
import type { EventRow } from '../../src/resources/audit/event-store.ts';
import { eventLine } from './event-line.ts';
import { type EventFilter, newestEvents } from './event-reader-store.ts';
import { followEvents } from './follow-events.ts';

interface Flags {
  readonly type?: string;
  readonly user?: string;
  readonly client?: string;
  readonly since?: Since;
  readonly limit: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** A time, or a duration before now. */
type Since = (now: number) => number;

const everyMs = 1000;
export function addEvents(program: Command): void {
  program
    .command('events')
    .summary('Show or follow the audit trail.')
    .description('Show the newest events of the audit trail. With --follow, also show new events as they happen.')
    .option('--type <type>', 'only events of this type: login.failed, or login.* for all types that begin with login.')
    .option(
      '--user <user>',
      'only events by this user or about this user: an email, a username, a phone number or an id',
    )
    .option('--client <client_id>', 'only events through this client')
    .option(
      '--since <when>',
      'only events since a date (2026-11-15, 2026-11-15T08:00:00Z) or of the last 15m, 2h or 7d',
      readSince,
    )
    .option('--limit <number>', 'show at most this many of the newest events', readLimit, 20)
    .option('--follow', 'show new events until you press Ctrl-C')
    .option('--json', 'print one line of JSON for each event')
    .addHelpText(
      'after',
      "\nExamples:\n  gatehouse events --since 1h\n  gatehouse events --type 'login.*' --user ada@example.com --limit 100\n  gatehouse events --follow --json",
    )
    .action((flags: Flags) => withContext((context) => showEvents(context, flags)));
}

async function showEvents(context: Context, flags: Flags): Promise<void> {
  const { db } = context.database;
  const now = context.now();
  // A deleted user can be found only by id.
  const isId = flags.user === undefined || /^[0-9a-f-]{36}$/.test(flags.user);
  const userId = isId ? flags.user : (await findUserByText(context, flags.user)).id;
  const filter: EventFilter = { type: flags.type, userId, clientId: flags.client, since: flags.since?.(now) };
  const print = (rows: readonly EventRow[]) => {
    for (const row of rows) console.log(flags.json ? eventLine(row) : readable(row));
  };
  const newest = await newestEvents(db, filter, flags.limit);
  print(newest);
  if (!flags.follow) return;
  const nextEvents = followEvents(context.database, filter, { now, knownEvents: newest });
  let stopped = false;
  const stop = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    // The reader may close the pipe: `gatehouse events --follow | head`.
    process.stdout.once('error', () => resolve());
  }).then(() => {
    stopped = true;
  });
  while (!stopped) {
    print(await nextEvents());
    await Promise.race([stop, new Promise((resolve) => setTimeout(resolve, everyMs))]);
  }
}

function readable({ created_at, type, user_id, client_id, actor_id, address, data }: EventRow): string {
  const parts = { user: user_id, by: actor_id, client: client_id, from: address, ...(data === '{}' ? {} : { data }) };
  const details = Object.entries(parts).filter(([, value]) => value !== null);
  const line = [showTime(created_at), type, ...details.map(([name, value]) => `${name}=${value}`)].join('  ');
  return printable(line);
}

function readSince(text: string): Since {
  const ago = parseDuration(text);
  if (ago !== undefined) return (now) => now - ago;
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a date, or a duration such as 15m, 2h or 7d.');
  return () => at;
}

function readLimit(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number up to 999999.');
}
