import { Type } from 'typebox';
import { type Caller, isAdmin } from '../../platform/caller.ts';
import { notFound } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { action } from '../../resources/declaration/define-resource.ts';
import { findPendingChange, withdrawPendingChange } from '../accounts/email-change-store.ts';
import { isSelf } from './guard-user.ts';

const name = 'email-changes';
const nothingPending = () => notFound('No change of the email address is pending.');

const emailChangesSchema = Type.Array(
  Type.Object({ email: Type.String(), requested_at: Type.String({ format: 'date-time' }) }),
);

/** A personal client can read its owner, but not the owner's pending changes. */
function requireOwnerOrAdmin(caller: Caller, userId: string): void {
  if (!isSelf(caller, userId) && !isAdmin(caller)) throw nothingPending();
}

/** The new address that waits for its confirmation, at most one. The user can read and cancel it. */
export const emailChangeActions = [
  action({
    name,
    method: 'GET',
    summary: 'Show the new email address that is not confirmed yet',
    response: emailChangesSchema,
    async run({ context, caller, row, now }) {
      requireOwnerOrAdmin(caller, row.id);
      const change = await findPendingChange(context.database.db, row.id, now);
      return change ? [{ email: change.new_email, requested_at: new Date(change.created_at).toISOString() }] : [];
    },
  }),
  action({
    name,
    method: 'DELETE',
    summary: 'Cancel the change of the email address',
    async run({ caller, row, transaction }) {
      requireOwnerOrAdmin(caller, row.id);
      await transaction(async ({ context, tx, now, source }) => {
        if (!(await withdrawPendingChange(tx, row.id, now))) throw nothingPending();
        const ids = { userId: row.id, actorId: caller.userId };
        await recordEvent(context, tx, { type: 'email.change_withdrawn', ...ids, source });
      });
    },
  }),
];
