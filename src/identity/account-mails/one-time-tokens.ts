import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { Problem } from '../../platform/errors.ts';
import {
  findUsableOneTimeToken,
  type OneTimePurpose,
  type OneTimeTokenRow,
  putOneTimeToken,
} from './one-time-token-store.ts';

/** Long enough to find the mail; a reset is worth more to a thief than a confirmation. */
const lives: Readonly<Record<OneTimePurpose, number>> = {
  confirm_email: 3 * 24 * 60 * 60_000,
  reset_password: 60 * 60_000,
};

interface NewOneTimeToken {
  readonly id: string;
  readonly purpose: OneTimePurpose;
  readonly userId: string;
  readonly email: string;
  /** Undefined: as long as others of its purpose. */
  readonly lifeMs?: number | undefined;
}

const purposeOfMac = 'one-time-token';

/** A link that undoes a change of email is kept with the change. */
type LinkPurpose = OneTimePurpose | 'undo_email';

/** `<id>.<MAC>`: the stored id is useless without the server's key. */
export const signLink = (keys: KeyRing, purpose: LinkPurpose, id: string): string =>
  `${id}.${keys.macKeys.mac(purposeOfMac, `${purpose}:${id}`)}`;

/** Stores a link of its own time and makes its value. */
export async function mintOneTimeToken(
  { database, now }: Context,
  keys: KeyRing,
  { id, purpose, userId, email, lifeMs = lives[purpose] }: NewOneTimeToken,
): Promise<{ value: string; expiresAt: number }> {
  const at = now();
  const expiresAt = at + lifeMs;
  await putOneTimeToken(database.db, {
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

const form = /^([0-9a-f-]{36})\.([\w-]{43})$/;

/** The id that a value carries, when this service made it for this purpose. A forged one costs no query. */
export function readOneTimeToken(
  keys: Pick<KeyRing, 'macKeys'>,
  purpose: LinkPurpose,
  value: string,
): string | undefined {
  const [, id, mac] = (form.exec(value) ?? []) as (string | undefined)[];
  return id && mac && keys.macKeys.matches(purposeOfMac, `${purpose}:${id}`, mac) ? id : undefined;
}

/** Looks without using it up: for the page behind a link, which mail scanners open too. */
export async function peekOneTimeToken(
  { database, now }: Pick<Context, 'database' | 'now'>,
  keys: Pick<KeyRing, 'macKeys'>,
  purpose: OneTimePurpose,
  value: string,
): Promise<OneTimeTokenRow | undefined> {
  const id = readOneTimeToken(keys, purpose, value);
  return id === undefined ? undefined : findUsableOneTimeToken(database.db, id, purpose, now());
}

export const linkNotValid = (): Problem =>
  new Problem(404, 'Not Found', 'This link is no longer valid: it was used, it expired, or a newer link replaced it.', {
    code: 'link_invalid',
  });
