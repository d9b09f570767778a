import type { Context } from '../../src/database/context.ts';
import { pruneBefore } from '../../src/database/prune-in-batches.ts';
import type { CreateExtension } from '../../src/main/extension.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import type { PageKit } from '../../src/pages/kit/page-request.ts';
import { lazy } from '../../src/platform/lazy.ts';
import { serveDeviceAuthorization } from './device-routes.ts';

/** Expired codes are kept for this time, so that the device learns that its code has expired. */
const keptMs = 3_600_000;

const pruneDevices = (context: Context): Promise<number> =>
  pruneBefore(context, 'device_authorizations', 'expires_at', context.now() - keptMs);

/** RFC 8628 3.3: the user types the code and decides. A link with the code only saves typing. */
function serveDevicePages(kit: PageKit, oauth: OAuth): void {
  const load = lazy(() => import('./device-page.ts'));
  kit.page('/device', 'auth:web', async (pageRequest) => (await load()).askForCode(pageRequest));
  kit.form('/device', 'auth:web', async (pageRequest) => (await load()).askForDecision(pageRequest, oauth));
  kit.form('/device/decision', 'auth:web', async (pageRequest) => (await load()).saveDecision(pageRequest, oauth));
  kit.page('/device/done', 'auth:web', async (pageRequest) => (await load()).showDone(pageRequest));
}

/** The endpoint for devices, and the pages on which users connect them (RFC 8628). The first request loads the code that handles it. */
export const createExtension: CreateExtension = (context, { oauth }) => ({
  serveOAuth: (app) => serveDeviceAuthorization(app, oauth),
  servePages: (_app, kit) => serveDevicePages(kit, oauth),
  maintenance: [{ name: 'old device codes', everyMs: 60_000, run: () => pruneDevices(context) }],
});
