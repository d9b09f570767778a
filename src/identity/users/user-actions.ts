import { Type } from 'typebox';
import { changeAs } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import { requireProof } from '../../http/gate/require-proof.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { type Caller, isAdmin } from '../../platform/caller.ts';
import { conflict, forbidden, notFound, unprocessable } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { type Action, type ActionCall, action, type WriteCall } from '../../resources/declaration/define-resource.ts';
import type { Fields } from '../../resources/declaration/fields/field.ts';
import { role } from '../../resources/declare.ts';
import type { ResourceServices } from '../../resources/model/resource-services.ts';
import { countMail } from '../account-mails/request-mail.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { findPendingChange, withdrawPendingChange } from '../accounts/email-change-store.ts';
import { type Profile, readProfile } from '../accounts/user-fields.ts';
import { findUser, markEmailConfirmed, type UserRow } from '../accounts/user-store.ts';
import { maxFailures } from '../credentials/check-credentials.ts';
import { countFactors } from '../factors/factor-count-store.ts';
import { type FactorServices, removeFactors } from '../factors/factor-services.ts';
import { storeNewUser } from '../registration/store-new-user.ts';
import { accountKey, identifierKey, liftLockout, readCounts } from '../throttle/throttle-store.ts';
import { type HookUser, isSelf, requireEveryScope, selfOrAdmin } from './guard-user.ts';

export type InvitationServices = AccountServices & Pick<ResourceServices, 'proveByPassword'>;

const emailRequired = { field: 'email', code: 'required', message: 'email is required.' };

/** An invitation can assign roles, so the token must have every scope. */
function requireInviter(caller: Caller): void {
  if (!isAdmin(caller)) throw forbidden('Only administrators can invite users.');
  requireEveryScope(caller);
}

/** Creates a user whose password nobody knows, and mails a link to choose one. */
export async function inviteUser(
  services: InvitationServices,
  { caller, source }: { caller: Caller; source: RequestSource },
  invitation: { email: string; name?: string | null; roles?: readonly string[]; current_password?: string },
): Promise<UserRow> {
  const { context } = services;
  requireInviter(caller);
  if (invitation.roles?.length) {
    const { current_password: password } = invitation;
    const proved = password ? await services.proveByPassword({ caller, source }, password) : caller;
    requireProof(proved, context.now());
  }
  const { profile, errors } = readProfile({ email: invitation.email, name: invitation.name ?? null });
  const { email } = profile;
  // An address that contains only spaces counts as none.
  if (email === null || errors.length > 0) throw unprocessable(errors.length > 0 ? errors : [emailRequired]);
  const newUser = {
    profile,
    password: null,
    roles: [...(invitation.roles ?? [])],
    confirmed: false,
    event: 'user.invited',
    actorId: caller.userId,
    clientId: caller.clientId,
    source,
    mails: false,
  } as const;
  const inviter = caller.userId === null ? undefined : await findUser(context.database.db, caller.userId);
  const authority = { caller, scope: 'users:write', changesAccounts: true };
  return storeNewUser(services, newUser, (work) =>
    changeAs(context.database, services.lockAuthority, authority, async (tx, _invalidate, lockedCaller) => {
      requireInviter(lockedCaller);
      await work(tx);
      const data = { inviter: inviter?.name ?? inviter?.email ?? null };
      await services.mail.enqueue(tx, { template: 'invitation', recipient: email, language: source.language, data });
    }),
  );
}

/** The end of the lockout for unknown browsers. Undefined if there is no lockout. */
async function lockedUntil(
  { database, now }: Context,
  { id, email, username, phone }: Profile & { readonly id: string },
): Promise<number | undefined> {
  const identifiers = [email, username, phone].filter((value) => value !== null);
  const counts = await readCounts(database.db, [accountKey(id), ...identifiers.map(identifierKey)], now());
  const exceededCounts = counts.filter(({ count }) => count >= maxFailures.account);
  return exceededCounts.length === 0 ? undefined : Math.max(...exceededCounts.map((row) => row.expires_at));
}

type UserCall = ActionCall<Fields, unknown> & { readonly row: HookUser };

const administrators = role('admin');

const recordUserEvent = ({ context, tx, caller, source }: WriteCall, type: string, userId: string): Promise<void> =>
  recordEvent(context, tx, { type, userId, actorId: caller.userId, clientId: caller.clientId, source });

/** A token with fewer scopes must not change the access to an account. */
function requireEverything(caller: Caller): void {
  if (caller.kind !== 'system') requireEveryScope(caller);
}

function emailOf({ email, disabled }: HookUser): string {
  if (email === null) throw conflict('This user has no email address.', 'email_missing');
  if (disabled) throw conflict('This user is disabled. Enable the user first.', 'user_disabled');
  return email;
}

/** Actions of administrators on a user. Each records one event. */
export const administerUser = (services: AccountServices): Action[] => [
  action({
    name: 'lockouts',
    method: 'GET',
    access: administrators,
    summary: 'Show the lockout that failed sign-ins have caused, if there is one',
    response: Type.Array(Type.Object({ until: Type.String({ format: 'date-time' }) })),
    async run({ context, row }: UserCall) {
      const until = await lockedUntil(context, row);
      return until === undefined ? [] : [{ until: new Date(until).toISOString() }];
    },
  }),
  action({
    name: 'lockouts',
    method: 'DELETE',
    access: administrators,
    summary: 'End the lockout of the user',
    async run({ row, caller, transaction }) {
      requireEverything(caller);
      await transaction(async (call) => {
        await liftLockout(call.tx, row.id);
        await recordUserEvent(call, 'user.unlocked', row.id);
      });
    },
  }),
  action({
    name: 'email-confirmations',
    access: administrators,
    summary: 'Confirm the email address of the user',
    async run({ row, caller, transaction }: UserCall) {
      requireEverything(caller);
      const email = emailOf(row);
      await transaction(async (call) => {
        const user = await markEmailConfirmed(call.tx, row.id, email, call.now);
        if (!user) throw conflict('Somebody else changed the user in the meantime.');
        await recordUserEvent(call, 'email.confirmed', row.id);
      });
    },
  }),
  action({
    name: 'password-resets',
    access: administrators,
    status: 202,
    summary: 'Email the user a link to choose a new password',
    response: Type.Object({ message: Type.String() }),
    async run({ context, row, caller, source, transaction }: UserCall) {
      requireEverything(caller);
      const recipient = emailOf(row);
      await countMail(context, 'reset-password', recipient, source);
      await transaction(async (call) => {
        await services.mail.enqueue(call.tx, { template: 'reset-password', recipient, language: call.source.language });
        await recordUserEvent(call, 'password.reset_sent', row.id);
      });
      return { message: 'An email is on its way.' };
    },
  }),
  action({
    name: 'sessions',
    method: 'DELETE',
    access: administrators,
    summary:
      'End every login of the user; personal access tokens and clients stay. Callers who do this to their own account keep the current login',
    async run({ row, caller, transaction }) {
      requireEverything(caller);
      await transaction(async (call) => {
        const exceptSessionId = isSelf(call.caller, row.id) ? call.caller.sessionId : null;
        const filter = { userId: row.id, exceptSessionId, type: 'session' } as const;
        await services.endSessions(call.tx, call.invalidate, filter, 'signed_out');
        await recordUserEvent(call, 'user.signed_out', row.id);
      });
    },
  }),
];

const nothingPending = () => notFound('No change of the email address is pending.');

const emailChangesSchema = Type.Array(
  Type.Object({ email: Type.String(), requested_at: Type.String({ format: 'date-time' }) }),
);

/** The new address that waits for its confirmation, at most one. The user can read and cancel it. */
export const emailChangeActions = [
  action({
    name: 'email-changes',
    method: 'GET',
    summary: 'Show the new email address that is not confirmed yet',
    access: selfOrAdmin,
    response: emailChangesSchema,
    async run({ context, row, now }) {
      const change = await findPendingChange(context.database.db, row.id, now);
      return change ? [{ email: change.new_email, requested_at: new Date(change.created_at).toISOString() }] : [];
    },
  }),
  action({
    name: 'email-changes',
    method: 'DELETE',
    summary: 'Cancel the change of the email address',
    async run({ caller, row, transaction }) {
      await transaction(async ({ context, tx, now, source }) => {
        if (!(await withdrawPendingChange(tx, row.id, now))) throw nothingPending();
        const ids = { userId: row.id, actorId: caller.userId };
        await recordEvent(context, tx, { type: 'email.change_withdrawn', ...ids, source });
      });
    },
  }),
];

const Held = Type.Object({
  passkeys: Type.Integer(),
  authenticators: Type.Integer(),
  recovery_codes: Type.Integer({ description: 'The number of unused codes' }),
});

/** The second factors of a user: only their counts, never the factors themselves. */
export const userFactors = ({ context, mail, guardChange }: FactorServices): Action[] => [
  action({
    name: 'factors',
    method: 'GET',
    summary: 'Show how many factors of each kind a user has',
    access: selfOrAdmin,
    response: Held,
    run: ({ row }) => countFactors(context.database.db, row.id),
  }),
  action({
    name: 'factors',
    method: 'DELETE',
    access: role('admin'),
    summary: 'Remove all factors of a user except the password, and notify the user by email',
    async run({ row, transaction }) {
      await transaction(async ({ tx, caller, source, now }) => {
        requireEveryScope(caller);
        // The owner needs the same proof as for the removal of one factor.
        if (isSelf(caller, row.id)) await guardChange(tx, caller);
        else requireProof(caller, now);
        await removeFactors({ context, mail }, tx, { userId: row.id, actorId: caller.userId, source });
      });
    },
  }),
];
