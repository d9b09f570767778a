import { hash, randomBytes } from 'node:crypto';
import type { Context } from '../../../src/database/context.ts';
import type { KeyRing } from '../../../src/database/keys/key-ring.ts';
import { unauthorized } from '../../../src/http/gate/unauthorized.ts';
import { consumeTicket, insertTicket } from './ticket-store.ts';

const lifetimeMs = 60_000;

const idOf = (ticket: string): string => hash('sha256', ticket, 'base64url');
const invalid = 'The ticket was used, has expired or is unknown: get another one (POST /v1/change-tickets).';
const labelOf = (id: string): string => `change ticket ${id}`;

/** EventSource in browsers cannot send headers. A ticket in the URL replaces the token. It is valid once and for a minute. */
export async function issueTicket({ database, now }: Context, keys: KeyRing, token: string) {
  const ticket = randomBytes(20).toString('base64url');
  const id = idOf(ticket);
  const expiresAt = now() + lifetimeMs;
  const row = { id, sealed_token: keys.seal(token, labelOf(id)), expires_at: expiresAt };
  await insertTicket(database.db, row);
  return { ticket, expires_at: new Date(expiresAt).toISOString() };
}

export async function redeemTicket({ database, now }: Context, keys: KeyRing, ticket: string): Promise<string> {
  const id = idOf(ticket);
  const row = await consumeTicket(database.db, id);
  if (!row) throw unauthorized('token_malformed', 'unknown ticket', invalid);
  if (row.expires_at <= now()) throw unauthorized('token_expired', 'old ticket', invalid);
  try {
    return keys.unseal(row.sealed_token, labelOf(id));
  } catch {
    // ENCRYPTION_KEY changed after the ticket was issued.
    throw unauthorized('token_malformed', 'the ticket cannot be decrypted', invalid);
  }
}
