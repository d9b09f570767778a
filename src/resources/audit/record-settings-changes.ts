import type { Config } from '../../config/config.ts';
import { textOfValue } from '../../config/settings/setting.ts';
import { settings } from '../../config/settings/settings.ts';
import type { Context } from '../../database/context.ts';
import { withMigrationLock } from '../../database/locks/migration-lock.ts';
import { systemSource } from '../../http/request-source.ts';
import { readKnownSettings, writeKnownSettings } from './known-settings-store.ts';
import { recordEvent } from './record-event.ts';

/** Settings that can differ between the instances of a service. */
const instanceSettings = new Set([
  ...['host', 'port', 'dataDir', 'logLevel', 'resourcesDir', 'viewsDir'],
  ...['databaseUrl', 'databaseListenUrl', 'databaseReplicaUrls', 'databasePoolSize'],
]);

/** For the audit trail. A secret is only `set` or `not set`. */
function settingsForAudit(config: Config): Map<string, string> {
  const valuesByName = new Map<string, string>();
  for (const [key, { env, secret }] of Object.entries(settings)) {
    if (instanceSettings.has(key)) continue;
    const text = textOfValue(config[key as keyof typeof settings]);
    valuesByName.set(env, secret ? (text === '' ? 'not set' : 'set') : text);
  }
  valuesByName.set('CLIENT_…', config.proxiedClients.map(({ path, id }) => `${path}=${id}`).join(','));
  return valuesByName;
}

export async function recordSettingsChanges(context: Context): Promise<void> {
  const currentValues = settingsForAudit(context.config);
  await withMigrationLock(context.database, async (tx) => {
    const previousValues = await readKnownSettings(tx);
    const names = [...new Set([...previousValues.keys(), ...currentValues.keys()])].filter(
      (name) => previousValues.get(name) !== currentValues.get(name),
    );
    if (names.length === 0) return;
    await writeKnownSettings(tx, currentValues);
    // A setting without an earlier value is not a change: the database is new, or a new version has added the setting.
    const changed = names.filter((name) => previousValues.has(name));
    if (changed.length === 0) return;
    const changes = Object.fromEntries(
      changed.map((name) => [name, { from: previousValues.get(name), to: currentValues.get(name) ?? null }]),
    );
    await recordEvent(context, tx, { type: 'settings.changed', source: systemSource, data: { changes } });
  });
}
