import type { Context } from '../../database/context.ts';
import { networkOf } from '../../http/network-of.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { mailboxOf } from '../../platform/email-address.ts';
import { type FieldError, Problem, tooManyRequests, unprocessable } from '../../platform/errors.ts';
import { isOneOf } from '../../platform/is-one-of.ts';
import { createKeyedSemaphore } from '../../platform/keyed-semaphore.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { isReservedForAnother } from '../accounts/email-change-store.ts';
import { fingerprintOfLogin } from '../accounts/identifiers.ts';
import {
  checkNewPassword,
  missingIdentifier,
  type Profile,
  profileFields,
  readProfile,
  takenField,
  unknownField,
} from '../accounts/user-fields.ts';
import { findTakenFields, type UserRow } from '../accounts/user-store.ts';
import { countAgainstLimits, networkLimits, readExceededLimit, requireAttempt } from '../throttle/throttle.ts';
import { storeNewUser } from './store-new-user.ts';

/** Reports all errors at once, one per field. Taken identifiers are reported last, and only a few times to one network. */
export async function registerUser(
  services: AccountServices,
  input: Readonly<Record<string, unknown>>,
  source: RequestSource,
): Promise<UserRow> {
  const { context } = services;
  const { profile, password } = await readRegistration(context, input);
  return registerWithinLimits(context, source, async () => {
    await requireFreeIdentifiers(context, profile, source);
    const mails = profile.email === null || (await mayMailMailbox(context, profile.email));
    const created = { roles: [], confirmed: false, mails, event: 'user.registered', source } as const;
    return storeNewUser(services, { profile, password, ...created }).catch(async (error) => {
      // A concurrent request was faster, or an earlier owner can still get the address back.
      throw isTaken(error) ? await takenError(context, error.errors, source) : error;
    });
  });
}

async function readRegistration({ config }: Context, input: Readonly<Record<string, unknown>>) {
  const knownFields = new Set<string>([...profileFields, 'password', 'password_confirmation']);
  const unknown = Object.keys(input).filter((field) => !knownFields.has(field));
  const { profile, errors } = readProfile(input);
  errors.unshift(...unknown.map(unknownField));
  const missing = missingIdentifier(config, profile);
  if (missing && !errors.some(({ field }) => isOneOf(config.loginAttributes, field))) errors.push(missing);
  const wrongPassword = await checkNewPassword(input.password, profile);
  if (wrongPassword) errors.push(wrongPassword);
  const { password_confirmation: confirmation = input.password } = input;
  if (confirmation !== input.password) errors.push(otherPassword);
  if (errors.length > 0) throw unprocessable(errors);
  return { profile, password: input.password as string };
}

/** Forms that ask for the password twice send both values. */
const otherPassword: FieldError = {
  field: 'password_confirmation',
  code: 'mismatch',
  message: 'password_confirmation must equal the password.',
};

const hourMs = 60 * 60_000;
/** The number of times per hour that a network can learn that an identifier is taken. */
const maxTakenPerHour = 5;
/** How many mails per hour registrations send to one mailbox. */
const maxMailsPerHour = 5;

const takenLimits = ({ address }: RequestSource) => networkLimits('taken', address, maxTakenPerHour);

/** One request at a time for each network, so that concurrent requests cannot exceed the limit. */
const perNetwork = createKeyedSemaphore({ concurrency: 1, maxWaiting: 500 });

const tooManyTaken = (seconds: number) =>
  tooManyRequests('This network has tried too many identifiers that were taken. Try again later.', seconds);

/** Limits new users per hour and network. A failed registration does not count. */
export async function registerWithinLimits<T>(
  context: Context,
  { address }: RequestSource,
  register: () => Promise<T>,
): Promise<T> {
  const most = context.config.registrationLimit;
  const limits = most === 0 ? [] : networkLimits('register', address, most);
  const message = 'Too many users were registered from this network. Try again later.';
  const attempt = await requireAttempt(context, limits, message, hourMs);
  try {
    const registered = await register();
    await attempt.count();
    return registered;
  } catch (error) {
    await attempt.release();
    throw error;
  }
}

/** Rejects taken identifiers. A network over the limit is always rejected, so that it learns nothing. */
export function requireFreeIdentifiers(
  context: Context,
  profile: Partial<Profile>,
  source: RequestSource,
  userId = '',
) {
  return perNetwork(networkOf(source.address ?? 'unknown'), async () => {
    const exceeded = await readExceededLimit(context, takenLimits(source));
    if (exceeded) throw tooManyTaken(exceeded.retryAfterSeconds);
    const { db } = context.database;
    const takenFields = await findTakenFields(db, profile, userId);
    if (
      profile.email &&
      !takenFields.includes('email') &&
      (await isReservedForAnother(db, profile.email, userId, context.now()))
    ) {
      takenFields.push('email');
    }
    if (takenFields.length > 0) throw await takenError(context, takenFields.map(takenField), source);
  });
}

/** Reports taken identifiers, but only a few times per hour to one network. */
async function takenError(context: Context, errors: FieldError[], source: RequestSource): Promise<Problem> {
  const exceeded = await countAgainstLimits(context, takenLimits(source), hourMs);
  return exceeded ? tooManyTaken(exceeded.retryAfterSeconds) : unprocessable(errors);
}

export const isTaken = (error: unknown): error is Problem & { errors: FieldError[] } =>
  error instanceof Problem && error.status === 422 && (error.errors ?? []).every(({ code }) => code === 'taken');

/** Whether a registration may still send mail to this mailbox. The part after a plus sign does not count. */
export async function mayMailMailbox(context: Context, email: string): Promise<boolean> {
  const key = `register:mailbox:${fingerprintOfLogin(mailboxOf(email))}`;
  const exceeded = await countAgainstLimits(context, [{ key, max: maxMailsPerHour, of: 'mailbox' }], hourMs);
  if (exceeded?.first) context.log.info('a mailbox reached its hourly limit of registration mails');
  return exceeded === undefined;
}
