import { hash, randomBytes } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { deleteRowsOf } from '../accounts/forget-user-store.ts';
import { toBase32 } from './totp.ts';

const codesInSet = 10;
/** 80 bits cannot be guessed, so a plain hash is enough. */
const bytesOfCode = 10;
/** With this many unused codes left, the owner is advised to create new ones. */
export const lowRecoveryCodes = 3;

const codePattern = /^[A-Z2-7]{16}$/;
const normalise = (code: string): string => code.toUpperCase().replace(/[\s-]/g, '');
const hashOf = (userId: string, code: string): string => hash('sha256', `${userId}\n${normalise(code)}`, 'base64url');

export const isRecoveryCode = (code: string): boolean => code.length <= 40 && codePattern.test(normalise(code));

/** The written form: `abcd-efgh-ijkl-mnop`. */
const formatCode = (bytes: Buffer): string => toBase32(bytes).toLowerCase().match(/.{4}/g)?.join('-') ?? '';

/** Replaces the recovery codes and returns the new ones. They are never shown again. */
export async function makeRecoveryCodes({ now }: Pick<Context, 'now'>, tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: codesInSet }, () => formatCode(randomBytes(bytesOfCode)));
  await deleteRowsOf(tx, userId, 'recovery_codes');
  const rows = codes.map((code) => ({ user_id: userId, hash: hashOf(userId, code), created_at: now(), used_at: null }));
  await tx.insertInto('recovery_codes').values(rows).execute();
  return codes;
}

/** Whether this is an unused code. */
export async function hasRecoveryCode(db: Db, userId: string, code: string): Promise<boolean> {
  const found = await db
    .selectFrom('recovery_codes')
    .select('hash')
    .where('user_id', '=', userId)
    .where('hash', '=', hashOf(userId, code))
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return found !== undefined;
}

/** Uses up a code. One statement: of two concurrent uses, one succeeds. */
export async function consumeRecoveryCode(tx: Tx, userId: string, code: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('hash', '=', hashOf(userId, code))
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function countRecoveryCodes(db: Db | Tx, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}
