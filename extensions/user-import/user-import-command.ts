import { createWriteStream, type WriteStream } from 'node:fs';
import type { Command } from 'commander';
import { withContext } from '../../src/cli/operator/with-context.ts';
import { progressBar } from '../../src/cli/terminal/progress-bar.ts';
import { printable } from '../../src/cli/terminal/table.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import type { Progress } from '../../src/platform/progress.ts';
import type { ImportProgress } from './import-users.ts';

export function addUserImport(user: Command): void {
  user
    .command('import')
    .description('Import users from another system, with the hashes of their passwords.')
    .argument('<file>', 'CSV with a header (.csv), or one JSON object per line (.jsonl)')
    .addHelpText(
      'after',
      `
Columns: email, username, phone, name, password_hash (required),
  email_confirmed, roles, created_at.
Hashes: bcrypt ($2a$, $2b$, $2y$), argon2i, argon2id, scrypt, and pbkdf2_sha256
  as Django writes it. Each is replaced when its user signs in.
To continue an interrupted import, run the same command again. It skips existing
users. <file>.refused.txt lists each refused line with the reason.

Examples:
  gatehouse user import users.csv`,
    )
    .action(async (file: string) => {
      const { importUsers } = await import('./import-users.ts');
      const report = new RefusalReport(`${file}.refused.txt`);
      const shown = showingProgress();
      const counts = await withContext((context) =>
        importUsers(context, file, { progress: shown.progress, refused: (line, reasons) => report.add(line, reasons) }),
      ).finally(shown.end);
      console.log(`${counts.imported} imported, ${counts.present} already present, ${counts.refused} refused.`);
      if (await report.close()) console.log(`Reasons: ${report.path}`);
      // For pipelines: a file in a wrong format must fail.
      if (counts.refused > 0 && counts.imported + counts.present === 0) {
        throw new OperatorError('Every record in the file was refused, so no user was imported.');
      }
    });
}

/** Shows progress in bytes, because the number of lines is unknown. */
function showingProgress(): { progress(state: ImportProgress): void; end(): void } {
  let bar: Progress | undefined;
  let before = 0;
  return {
    progress({ bytes, totalBytes, read, refused }) {
      bar ??= progressBar(totalBytes, 'bytes');
      bar.advance(bytes - before, `${read} read, ${refused} refused`);
      before = bytes;
    },
    end: () => bar?.end(),
  };
}

/** A file that is created with its first entry. */
class RefusalReport {
  readonly path: string;
  #file: WriteStream | undefined;

  constructor(path: string) {
    this.path = path;
  }

  add(line: number, reasons: readonly string[]): void {
    this.#file ??= createWriteStream(this.path, { mode: 0o600 });
    this.#file.write(`line ${line}: ${printable(reasons.join('; '))}\n`);
  }

  /** Whether there is a report. */
  async close(): Promise<boolean> {
    const file = this.#file;
    if (!file) return false;
    await new Promise<void>((resolve, reject) => file.once('error', reject).end(resolve));
    return true;
  }
}
