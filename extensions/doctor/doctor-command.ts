import type { Command } from 'commander';
import { paint } from '../../src/cli/terminal/paint.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { checkExtensions } from '../../src/main/check-extensions.ts';
import { errorFinding, explain, type Finding, notice } from '../../src/main/finding.ts';
import { checkEventsLog } from '../../src/main/open-events-log.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { checkDatabase } from './check-database.ts';
import { checkMail } from './check-mail.ts';
import { checkSettings } from './check-settings.ts';
import { openReadOnly } from './open-read-only.ts';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('Find problems, and show how to fix them.')
    .description(
      'Check settings, database, clock, keys, mail, providers, cookies, proxies and permissions. Prints each problem with its fix, and exits with 1 if it finds an error.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  gatehouse doctor\n  gatehouse doctor --json')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine();
      if (json) console.log(JSON.stringify(findings, null, 2));
      else for (const finding of findings) print(finding);
      const count = findings.filter(({ state }) => state === 'error').length;
      if (count > 0) throw new OperatorError(count === 1 ? 'found one problem' : `found ${count} problems`);
    });
}

async function examine(): Promise<Finding[]> {
  let config: Config;
  try {
    config = await loadConfig();
  } catch (error) {
    return [errorFinding('config', explain(error), 'Correct the setting named in the message.')];
  }
  return [
    ...checkSettings(config),
    ...(await openAndExamine(config)),
    await checkMail(config),
    ...(await checkEventsLog(config)),
    ...(await checkExtensions(config)),
  ];
}

async function openAndExamine(config: Config): Promise<Finding[]> {
  try {
    const database = await openReadOnly(config, { statementTimeoutMs: config.readTimeout * 1000 });
    if (!database) return [notice('database', 'there is none yet', 'Gatehouse creates it on its first start.')];
    try {
      return await checkDatabase({ config, database, now: Date.now }, { decryptsValues: true });
    } finally {
      await database.close();
    }
  } catch (error) {
    return [errorFinding('database', explain(error), 'Fix the reported error. Until then, the service cannot start.')];
  }
}

const marks = {
  ok: { style: 'green', text: 'ok    ' },
  notice: { style: 'yellow', text: 'notice' },
  error: { style: 'red', text: 'ERROR ' },
} as const;

function print({ part, state, summary, fix }: Finding): void {
  const { style, text } = marks[state];
  console.log(`${paint(style, text)}  ${part.padEnd(14)}  ${summary}`);
  if (fix) console.log(`${' '.repeat(24)}→ ${fix}`);
}
