import { timingSafeEqual } from 'node:crypto';
import type { Tx } from '../../database/database.ts';
import { uuidv7 } from '../../database/uuid.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { emailCodeLifetimeMs, emailCodesOf, ownerOfEmail } from '../account-mails/email-code.ts';
import { countMail, tooManyMails } from '../account-mails/request-mail.ts';
import { knownBrowserOf } from '../credentials/known-browsers.ts';
import { countAgainstLimits } from '../throttle/throttle.ts';
import { consumeEmailCode, countEmailAttempt, insertEmailCode } from './email-code-store.ts';
import type { FactorCheckServices } from './factor-services.ts';
import { mfaTokenLifetimeMs } from './second-step.ts';

const maxAttempts = 5;
/** In 15 minutes. A known browser has its own count. */
const maxSecondStepCodes = 5;

type MailServices = Omit<FactorCheckServices, 'keys'>;

/** Sends a code if a user has this address. The response and its timing do not reveal it. The code works only with the returned id. */
export async function sendEmailCode(services: MailServices, email: string, source: RequestSource) {
  await countMail(services.context, 'email-code', email, source);
  return storeEmailCode(services, email, source, emailCodeLifetimeMs);
}

/** Sends the code for the second step of a login. It has its own count: requests for sign-in codes cannot use it up. */
export async function sendSecondStepCode(
  services: FactorCheckServices,
  { id, email }: { readonly id: string; readonly email: string },
  source: RequestSource,
): Promise<string> {
  const key = `second-step-code:${id}:${knownBrowserOf(services.keys, source, id) ?? ''}`;
  const exceeded = await countAgainstLimits(services.context, [{ key, max: maxSecondStepCodes, of: 'account' }]);
  if (exceeded) throw tooManyMails(exceeded);
  return (await storeEmailCode(services, email, source, mfaTokenLifetimeMs)).id;
}

async function storeEmailCode(
  { context, mail }: MailServices,
  email: string,
  source: RequestSource,
  lifetimeMs: number,
): Promise<{ id: string; expiresAt: number }> {
  const { database, now } = context;
  const at = now();
  const code = { id: uuidv7(at), email, created_at: at, expires_at: at + lifetimeMs };
  await database.db.transaction().execute(async (tx) => {
    await insertEmailCode(tx, code);
    const data = { code: code.id, expires_at: code.expires_at };
    await mail.enqueue(tx, { template: 'email-code', recipient: email, language: source.language, data });
  });
  return { id: code.id, expiresAt: code.expires_at };
}

/** Checks a code. Each check counts as an attempt, right or wrong. The fifth is the last. `consume` returns true only once. */
export async function readEmailCode({ context, keys }: Omit<FactorCheckServices, 'mail'>, id: string, code: string) {
  const { database, now } = context;
  const attempt = await countEmailAttempt(database.db, { id, max: maxAttempts, now: now() });
  if (!attempt || !/^\d{6}$/.test(code)) return undefined;
  const codeBytes = Buffer.from(code);
  const isCorrect = emailCodesOf(keys, id).some((validCode) => timingSafeEqual(Buffer.from(validCode), codeBytes));
  const user = await ownerOfEmail(database.db, attempt.email);
  if (!isCorrect || !user) return undefined;
  return { user, consume: (tx: Tx) => consumeEmailCode(tx, id) };
}
