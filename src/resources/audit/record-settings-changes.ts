import type { Config } from '../../config/config.ts';
import { textOfValue } from '../../config/settings/setting.ts';
import { settings } from '../../config/settings/settings.ts';
import type { Context } from '../../database/context.ts';
import { withMigrationLock } from '../../database/locks/migration-lock.ts';
import { systemSource } from '../../http/request-source.ts';
import { readKnownSettings, writeKnownSettings } from './known-settings-store.ts';
import { recordEvent } from './record-event.ts';

/** Settings that can differ between the instances of a service. */
const ofOneInstance = new Set([
  ...['host', 'port', 'dataDir', 'logLevel', 'resourcesDir', 'viewsDir'],
  ...['databaseUrl', 'databaseListenUrl', 'databaseReplicaUrls', 'databasePoolSize'],
]);

/** For the audit trail. A secret is only `set` or `not set`. */
function shownSettings(config: Config): Map<string, string> {
  const shown = new Map<string, string>();
  for (const [key, { env, secret }] of Object.entries(settings)) {
    if (ofOneInstance.has(key)) continue;
    const text = textOfValue(config[key as keyof typeof settings]);
    shown.set(env, secret ? (text === '' ? 'not set' : 'set') : text);
  }
  shown.set('CLIENT_…', config.proxiedClients.map(({ path, id }) => `${path}=${id}`).join(','));
  return shown;
}

export async function recordSettingsChanges(context: Context): Promise<void> {
  const now = shownSettings(context.config);
  await withMigrationLock(context.database, async (tx) => {
    const before = await readKnownSettings(tx);
    const names = [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name));
    if (names.length === 0) return;
    await writeKnownSettings(tx, now);
    // A setting without an earlier value is not a change: the database is new, or a new version has added the setting.
    const changed = names.filter((name) => before.has(name));
    if (changed.length === 0) return;
    const changes = Object.fromEntries(
      changed.map((name) => [name, { from: before.get(name), to: now.get(name) ?? null }]),
    );
    await recordEvent(context, tx, { type: 'settings.changed', source: systemSource, data: { changes } });
  });
}
