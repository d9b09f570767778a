import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Command } from 'commander';
import { withContextOf } from '../../src/cli/operator/with-context.ts';
import { terminalProgressBar } from '../../src/cli/terminal/progress-bar.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { newHistoryId } from '../../src/database/change-log/new-history.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { createServiceFolder } from '../../src/platform/files.ts';
import { restore, sqliteFile } from './backup.ts';

interface Flags {
  force?: boolean;
  endSessions?: boolean;
}

export function addRestore(program: Command): void {
  program
    .command('restore')
    .summary('Replace the SQLite database with a backup.')
    .description('Replace the SQLite database with a backup. Stop the service first.')
    .argument('<file>', 'the file that `gatehouse backup` created')
    .option('--force', 'replace the existing database; the command keeps it beside the restored one')
    .option('--end-sessions', 'end every session, personal access token and emailed link in the backup')
    .addHelpText(
      'after',
      `
A backup has the state of an earlier moment. Sessions and tokens that ended
after it are valid again: sessions that were logged out, revoked tokens and
replaced refresh tokens. --end-sessions ends all of them, and everybody has to
sign in again.

Examples:
  gatehouse restore gatehouse-2026-11-15.db
  gatehouse restore /var/backups/gatehouse.db --force --end-sessions

On PostgreSQL use pg_restore, then: gatehouse session end --all`,
    )
    .action(async (name: string, { force = false, endSessions = false }: Flags) => {
      const config = await loadConfig();
      const target = sqliteFile(config, 'pg_restore --clean --if-exists --dbname="$DATABASE_URL" gatehouse.dump');
      createServiceFolder(dirname(target));
      let ended: string | undefined;
      const change = async (draft: string) => {
        if (endSessions) ended = await endSessionsIn(config, draft);
        beginNewHistory(draft);
      };
      const previousPath = await restore(resolve(name), target, {
        overwrite: force,
        progress: terminalProgressBar,
        change,
      });
      if (ended) console.log(ended);
      console.log(`Restored ${target}.`);
      if (previousPath) console.log(`The previous database is in ${previousPath}.`);
      if (!endSessions) {
        console.log(
          'Sessions that ended after the backup are valid again. To end all sessions: npx gatehouse-server session end --all',
        );
      }
    });
}

/** Runs before the copy is in its place, so that no service ever accepts those sessions. */
async function endSessionsIn(config: Config, draft: string): Promise<string> {
  const { endAllSessions } = await import('../admin-commands/revoke-everything.ts');
  const { sessions, links } = await withContextOf(
    { ...config, databaseUrl: `sqlite:${draft}`, eventsLog: '' },
    (context) => endAllSessions(context, systemSource, { keepPersonal: false }),
  );
  return `${sessions} sessions and personal access tokens and ${links} emailed links ended.`;
}

/** Invalidates all positions in the change log, because those that were issued after the backup do not exist in the restored file. */
function beginNewHistory(path: string): void {
  const file = new DatabaseSync(path);
  try {
    const table = file.prepare("select 1 from sqlite_master where name = 'change_history'").get();
    if (table) file.prepare('update change_history set id = ?').run(newHistoryId());
  } finally {
    file.close();
  }
}
