import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Service } from './service.ts';

const tables = ['users', 'clients', 'client_secrets', 'sessions', 'one_time_tokens', 'queued_jobs', 'events'] as const;

/** A fingerprint of what the database holds, to show that a refusal left it as it was. */
export async function contentOf(
  { context, accounts, verifier }: Service,
  but: readonly string[] = [],
): Promise<string> {
  // What earlier requests left to be done in the background is none of the next request's doing.
  await accounts.mail.settle();
  await verifier.flush();
  const hash = createHash('sha256');
  for (const table of tables) {
    if (but.includes(table)) continue;
    const rows = await context.database.db.selectFrom(table).selectAll().orderBy('id').execute();
    // That a token was used, and from where, is noted of refused requests too.
    const lasting = rows.map((row) => ({ ...row, ...(table === 'sessions' ? { last_used_at: 0, address: '' } : {}) }));
    hash.update(`${table}:${JSON.stringify(lasting)}`);
  }
  return hash.digest('hex');
}

/** Expects a refusal that leaves the database as it was, and returns what it says. */
export async function refusalOf<T>(
  service: Service,
  attempt: () => Promise<{ readonly status: number; readonly body: T }>,
  status: number,
): Promise<T> {
  const content = await contentOf(service);
  const { status: actual, body } = await attempt();
  assert.equal(actual, status, JSON.stringify(body));
  assert.equal(await contentOf(service), content, 'a refusal leaves the database as it was');
  return body;
}
