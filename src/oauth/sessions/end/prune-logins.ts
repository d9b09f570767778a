import type { Context } from '../../../database/context.ts';
import { deleteForgotten } from '../store/application-login-store.ts';

const batch = 200;

/** Forgets logins at applications of which neither session is left, when they are older than a refresh token lives. */
export async function pruneLogins({ config, database, now }: Context): Promise<void> {
  const before = now() - config.refreshTokenTtl * 1000;
  while ((await deleteForgotten(database.db, before, batch)) === batch) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
