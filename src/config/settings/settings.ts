import { accountSettings } from './account-settings.ts';
import { applicationSettings } from './application-settings.ts';
import { factorSettings } from './factor-settings.ts';
import { networkSettings } from './network-settings.ts';
import { projectSettings } from './project-settings.ts';
import { providerSettings } from './provider-settings.ts';
import type { Setting } from './setting.ts';
import { storageSettings } from './storage-settings.ts';
import { tokenSettings } from './token-settings.ts';

/**
 * All settings. A key of this object is a key of `gatehouse.config.ts`. Its environment variable is the key in upper case, with `_` between
 * words: `RATE_LIMIT` for `rateLimit`.
 */
export const settings = {
  ...networkSettings,
  ...storageSettings,
  ...accountSettings,
  ...factorSettings,
  ...providerSettings,
  ...tokenSettings,
  ...applicationSettings,
  ...projectSettings,
} as const satisfies Record<string, Setting<unknown, unknown>>;

for (const [key, setting] of Object.entries(settings))
  setting.env = key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
