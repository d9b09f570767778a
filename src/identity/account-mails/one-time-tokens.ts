import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { Problem } from '../../platform/errors.ts';
import {
  findUsableOneTimeToken,
  type OneTimePurpose,
  type OneTimeTokenRow,
  upsertOneTimeToken,
} from './one-time-token-store.ts';

/** Long enough to find the mail. A reset link expires earlier, because it is worth more to a thief. */
const lifetimesMs: Readonly<Record<OneTimePurpose, number>> = {
  confirm_email: 3 * 24 * 60 * 60_000,
  reset_password: 60 * 60_000,
};

interface NewOneTimeToken {
  readonly id: string;
  readonly purpose: OneTimePurpose;
  readonly userId: string;
  readonly email: string;
  /** Undefined: the default of the purpose. */
  readonly lifetimeMs?: number | undefined;
}

const macPurpose = 'one-time-token';

/** A link that undoes an email change is stored with the change. */
type LinkPurpose = OneTimePurpose | 'undo_email';

/** `<id>.<MAC>`: the stored id is useless without the server's key. */
export const signLink = (keys: KeyRing, purpose: LinkPurpose, id: string): string =>
  `${id}.${keys.macKeys.mac(macPurpose, `${purpose}:${id}`)}`;

/** Stores a link with its expiry and returns its value. */
export async function createOneTimeToken(
  { database, now }: Context,
  keys: KeyRing,
  { id, purpose, userId, email, lifetimeMs = lifetimesMs[purpose] }: NewOneTimeToken,
): Promise<{ value: string; expiresAt: number }> {
  const at = now();
  const expiresAt = at + lifetimeMs;
  await upsertOneTimeToken(database.db, {
    id,
    purpose,
    user_id: userId,
    email,
    created_at: at,
    expires_at: expiresAt,
    used_at: null,
  });
  return { value: signLink(keys, purpose, id), expiresAt };
}

const tokenPattern = /^([0-9a-f-]{36})\.([\w-]{43})$/;

/** The id in a value that this service made for this purpose. A forged value costs no query. */
export function readOneTimeToken(keys: Pick<KeyRing, 'macKeys'>, purpose: LinkPurpose, value: string) {
  const [, id = '', mac = ''] = tokenPattern.exec(value) ?? [];
  return id && mac && keys.macKeys.matches(macPurpose, `${purpose}:${id}`, mac) ? id : undefined;
}

/** Reads a link without using it up, for the page behind the link: mail scanners open this page too. */
export async function peekOneTimeToken(
  { database, now }: Pick<Context, 'database' | 'now'>,
  keys: Pick<KeyRing, 'macKeys'>,
  purpose: OneTimePurpose,
  value: string,
): Promise<OneTimeTokenRow | undefined> {
  const id = readOneTimeToken(keys, purpose, value);
  return id === undefined ? undefined : findUsableOneTimeToken(database.db, id, purpose, now());
}

export const invalidLink = (): Problem =>
  new Problem(404, 'Not Found', 'This link is no longer valid: it was used, it expired, or a newer link replaced it.', {
    code: 'link_invalid',
  });
