import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, loadConfig } from '../../config/config.ts';
import { restore, sqliteFile } from '../../database/backup/backup.ts';
import { beginNewHistory } from '../../database/change-log/new-history.ts';
import { systemSource } from '../../http/request-source.ts';
import { withContextOf } from '../operator/with-context.ts';
import { barOnTerminal } from '../terminal/progress-bar.ts';

interface Flags {
  force?: boolean;
  endSessions?: boolean;
}

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('Put a backup in the place of the SQLite database. The service must be stopped.')
    .argument('<file>', 'that `gatehouse backup` made')
    .option('--force', 'replace the database that is there; it is kept beside the restored one')
    .option('--end-sessions', 'end every session, personal access token and mailed link that the backup holds')
    .addHelpText(
      'after',
      `
A backup does not know what ended after it was taken: a session that was logged
out, a token that was revoked and a refresh token that was replaced count again.
With --end-sessions nobody gets in by those, and everybody signs in anew.

Examples:
  gatehouse restore gatehouse-2026-11-15.db
  gatehouse restore /var/backups/gatehouse.db --force --end-sessions

On PostgreSQL use pg_restore, then: gatehouse session end --all`,
    )
    .action(async (name: string, { force = false, endSessions = false }: Flags) => {
      const config = await loadConfig();
      const target = sqliteFile(config, 'pg_restore --clean --if-exists --dbname="$DATABASE_URL" gatehouse.dump');
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      let ended: string | undefined;
      const change = async (draft: string) => {
        if (endSessions) ended = await endSessionsIn(config, draft);
        beginNewHistory(draft);
      };
      const kept = await restore(resolve(name), target, { overwrite: force, progress: barOnTerminal, change });
      if (ended) console.log(ended);
      console.log(`Restored ${target}.`);
      if (kept) console.log(`What was there before is in ${kept}.`);
      if (!endSessions) {
        console.log(
          'Sessions that ended after the backup was taken live again. To end them all: gatehouse session end --all',
        );
      }
    });
}

/** Before the copy is in its place: no service ever sees those sessions alive. */
async function endSessionsIn(config: Config, draft: string): Promise<string> {
  const { endAllSessions } = await import('../../oauth/end-all-sessions.ts');
  const { sessions, links } = await withContextOf(
    { ...config, databaseUrl: `sqlite:${draft}`, eventsLog: '' },
    (context) => endAllSessions(context, systemSource, { keepPersonal: false }),
  );
  return `${sessions} sessions and personal access tokens ended, and ${links} links in mail.`;
}
