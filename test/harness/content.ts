import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Service } from './service.ts';

const tables = ['users', 'clients', 'client_secrets', 'sessions', 'one_time_tokens', 'queued_jobs', 'events'] as const;

/** A fingerprint of the database, to show that a refused request changed nothing. */
export async function contentOf(
  { context, accounts, verifier }: Service,
  exceptTables: readonly string[] = [],
): Promise<string> {
  // Background work of earlier requests must not count as a change by the next request.
  await accounts.mail.settle();
  await verifier.flush();
  const hash = createHash('sha256');
  for (const table of tables) {
    if (exceptTables.includes(table)) continue;
    const rows = await context.database.db.selectFrom(table).selectAll().orderBy('id').execute();
    // The last use of a token and its address are recorded for refused requests too.
    const lasting = rows.map((row) => ({ ...row, ...(table === 'sessions' ? { last_used_at: 0, address: '' } : {}) }));
    hash.update(`${table}:${JSON.stringify(lasting)}`);
  }
  return hash.digest('hex');
}

/** Expects an error response and an unchanged database. Returns the body of the response. */
export async function refusalOf<T>(
  service: Service,
  attempt: () => Promise<{ readonly status: number; readonly body: T }>,
  status: number,
): Promise<T> {
  const content = await contentOf(service);
  const { status: actual, body } = await attempt();
  assert.equal(actual, status, JSON.stringify(body));
  assert.equal(await contentOf(service), content, 'a refused request changes nothing');
  return body;
}
