import type { Context } from '../../src/database/context.ts';
import type { Extension } from '../../src/main/extension.ts';
import type { Finding } from '../../src/main/finding.ts';
import { checkEventsLog } from '../../src/main/open-events-log.ts';
import { checkDatabase } from './check-database.ts';
import { checkMail } from './check-mail.ts';
import { checkSettings } from './check-settings.ts';

/** All findings about the running service, those of the extensions last. */
export async function diagnose(context: Context, extensions: readonly Extension[]): Promise<Finding[]> {
  const { config } = context;
  const [inDatabase, mail, events] = await Promise.all([
    checkDatabase(context),
    checkMail(config),
    checkEventsLog(config),
  ]);
  const others = await Promise.all(extensions.map((extension) => extension.findings?.() ?? []));
  return [...checkSettings(config), ...inDatabase, mail, ...events, ...others.flat()];
}
