import type { Config } from '../src/config/config.ts';
import type { CreateExtension } from '../src/main/extension.ts';
import { createExtension as activity } from './activity/extension.ts';
import { createExtension as changes } from './changes/extension.ts';
import { createExtension as clientRegistration } from './client-registration/extension.ts';
import { createExtension as consoleFiles } from './console-files/extension.ts';
import { createExtension as deviceAuthorization } from './device-authorization/extension.ts';
import { createExtension as doctor } from './doctor/extension.ts';
import { createExtension as mcp } from './mcp/extension.ts';
import { createExtension as openapi } from './openapi/extension.ts';
import { createExtension as openidLogout } from './openid-logout/extension.ts';
import { createExtension as providers } from './providers/extension.ts';
import { createExtension as secretScanning } from './secret-scanning/extension.ts';
import { createExtension as settingsPages } from './settings-pages/extension.ts';

/** The extensions with an `extension.ts`, in the order of their routes. The build puts all of them except `passport` into one file. */
export async function extensionsFor({ compat }: Config): Promise<CreateExtension[]> {
  const passport = compat === 'off' ? [] : [(await import('./passport/extension.ts')).createExtension];
  return [
    providers,
    changes,
    mcp,
    openapi,
    clientRegistration,
    deviceAuthorization,
    openidLogout,
    secretScanning,
    activity,
    settingsPages,
    consoleFiles,
    ...passport,
    doctor,
  ];
}
