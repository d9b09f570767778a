import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { builtInLanguages, readBuiltIn } from '../../src/config/languages/read-messages.ts';
import { builtInMails } from '../../src/identity/mail/mail-templates.ts';
import { builtInViews } from '../../src/pages/kit/views.ts';
import { createFolder } from '../../src/platform/files.ts';
import { didYouMean } from '../../src/resources/declaration/check-options.ts';

/** Built-in files that can be copied, by name, and the folder that they go to. */
interface Ejectable {
  readonly to: string;
  readonly names: readonly string[];
  /** The files of a name, relative to `to`. */
  filesOf(name: string): readonly string[];
  write(file: string, path: string): void;
}

/** Templates: a name means its files with all extensions. A file in a nested folder belongs to that folder if it is listed itself. */
function templates(folders: readonly string[], to: string): Ejectable {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const nearest = folders.findLast((each) => path.startsWith(join(each, '/')));
      if (entry.isFile() && nearest === folder) sources.set(relative(folder, path).replaceAll('\\', '/'), path);
    }
  }
  const files = [...sources.keys()].sort();
  const nameOf = (file: string): string => file.replace(/\.\w+$/, '');
  return {
    to,
    names: [...new Set(files.map(nameOf))],
    filesOf: (name) => files.filter((file) => nameOf(file) === name),
    write: (file, path) => cpSync(sources.get(file) as string, path),
  };
}

/** Messages: one file per language, with the messages of all places. */
const messages = (to: string): Ejectable => ({
  to,
  names: builtInLanguages(),
  filesOf: (name) => [`${name}.json`],
  write(file, path) {
    const all = Object.fromEntries(readBuiltIn(file.replace(/\.json$/, '')));
    writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`);
  },
});

const kinds = new Map<string, (config: Config) => Ejectable>([
  ['views', ({ viewsDir }) => templates(builtInViews(), viewsDir)],
  ['mails', ({ viewsDir }) => templates(builtInMails(), join(viewsDir, 'mail'))],
  ['messages', ({ languagesDir }) => messages(languagesDir)],
]);

export function addEject(program: Command): void {
  program
    .command('eject')
    .argument('<what>', `one of ${[...kinds.keys()].join(', ')}`)
    .argument('[names...]', 'the names of views or emails, or the languages of messages (default: all)')
    .summary('Copy built-in views, emails or messages to change.')
    .description('Copy built-in views, email templates or messages into the project, so that you can change them.')
    .option('--list', 'list the names, and copy nothing')
    .addHelpText(
      'after',
      `
A copy replaces the built-in file, even after an upgrade of Gatehouse. So copy
only what you change. An existing file stays as it is.

Examples:
  gatehouse eject views login
  gatehouse eject mails confirm-email
  gatehouse eject messages de
  gatehouse eject views --list`,
    )
    .action(async (kindName: string, names: string[], { list }: { list?: boolean }) => {
      const kind = kinds.get(kindName);
      if (!kind) throw unknownName('the kind', kindName, [...kinds.keys()]);
      const ejectable = kind(await loadConfig());
      if (list) console.log(ejectable.names.join('\n'));
      else eject(ejectable, names);
    });
}

function eject(ejectable: Ejectable, names: readonly string[]): void {
  for (const name of names) if (!ejectable.names.includes(name)) throw unknownName('the name', name, ejectable.names);
  for (const file of (names.length > 0 ? names : ejectable.names).flatMap(ejectable.filesOf)) {
    const path = join(ejectable.to, file);
    const relativePath = relative(process.cwd(), path);
    if (existsSync(path)) {
      console.log(`${relativePath} already exists and was not changed.`);
      continue;
    }
    createFolder(dirname(path));
    ejectable.write(file, path);
    console.log(`${relativePath} is written.`);
  }
}

const unknownName = (noun: string, word: string, validNames: readonly string[]) =>
  new UsageError(`${noun} "${word}" does not exist.${didYouMean(word, validNames)}`);
