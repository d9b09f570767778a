import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { Context } from '../../src/database/context.ts';
import type { RequestSource } from '../../src/http/request-source.ts';
import { forgetFirstPassword } from '../../src/identity/accounts/first-password.ts';
import { lockUser, rolesOf, updateUser } from '../../src/identity/accounts/user-store.ts';
import { hasOtherAdministrator } from '../../src/identity/roles/role-store.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';

interface RoleChanges {
  readonly userId: string;
  readonly give: readonly string[];
  readonly take: readonly string[];
  readonly source: RequestSource;
}

/** Changes roles for the operator and returns them. Reads them in the transaction, so that no concurrent change is lost. */
export async function changeRoles(context: Context, { userId, give, take, source }: RoleChanges) {
  const { database, now } = context;
  return commitAndInvalidate(database, async (tx, invalidate) => {
    const user = await lockUser(tx, userId);
    if (!user) throw new OperatorError('The user no longer exists.');
    const before = rolesOf(user);
    const after = [...new Set([...before, ...give])].filter((role) => !take.includes(role));
    if (before.length === after.length && before.every((role) => after.includes(role))) return before;
    const losesAdmin = before.includes('admin') && !after.includes('admin');
    if (losesAdmin && !(await hasOtherAdministrator(tx, database.engine, user.id))) {
      throw new OperatorError('This is the last administrator. Make another user an administrator first.');
    }
    await updateUser(tx, user.id, { roles: JSON.stringify(after), updated_at: now() });
    const data = { roles: after, changes: { roles: { from: before, to: after } } };
    await recordEvent(context, tx, { type: 'user.roles_changed', userId: user.id, source, data });
    if (losesAdmin) await forgetFirstPassword(context, { id: user.id, roles: before }, tx);
    invalidate({ kind: 'user', id: user.id });
    return after;
  });
}
