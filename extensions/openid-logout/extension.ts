import { createGuardedFetch } from '../../src/http/outbound/guarded-fetch.ts';
import type { CreateExtension } from '../../src/main/extension.ts';
import { type Logout, logoutJob } from '../../src/oauth/openid/backchannel-logout.ts';
import { lazy } from '../../src/platform/lazy.ts';
import { serveLogoutPage } from './logout-routes.ts';

/** Retries for about ten minutes. After that, the application has noticed by itself that its tokens are invalid. */
const maxAttempts = 6;
/** Concurrent jobs per address, per host and in all, so that one address or host cannot occupy the queue. */
const lanes = { ofSubject: 1, ofHost: 2, ofName: 20 };

/** Logout for applications (OpenID Connect RP-Initiated and Back-Channel Logout 1.0). The first notification loads its code. */
export const createExtension: CreateExtension = ({ config }, { queue, oauth }) => {
  const load = lazy(() => import('./send-logout.ts'));
  const fetch = createGuardedFetch(config);
  queue.handle<Logout>(logoutJob, async (job) => (await load()).handleLogout(oauth, fetch, job, maxAttempts), {
    attempts: maxAttempts,
    lanes,
  });
  return { servePages: serveLogoutPage };
};
