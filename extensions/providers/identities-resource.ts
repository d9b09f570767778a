import { lockUser, rolesOf, updateUser } from '../../src/identity/accounts/user-store.ts';
import { type FactorServices, recordFactorChange } from '../../src/identity/factors/factor-services.ts';
import { lockSignInMethods } from '../../src/identity/providers/identity-store.ts';
import { requireSignInMethod } from '../../src/identity/providers/sign-in-methods.ts';
import { hasOtherAdministrator } from '../../src/identity/roles/role-store.ts';
import { lastAdministrator } from '../../src/identity/users/guard-user.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { anyOf, ownRows, role } from '../../src/resources/declaration/access.ts';
import { defineResource, type WriteCall } from '../../src/resources/declaration/define-resource.ts';
import { belongsTo } from '../../src/resources/declaration/relations.ts';
import { proofBody } from '../../src/resources/declaration/step-up.ts';
import { reference, text, timestamp } from '../../src/resources/declare.ts';
import { deleteIdentity, type IdentityRow } from './sign-in/identity-store.ts';

const fields = {
  user_id: reference('users', { required: true, readOnly: true, searchable: true, onDelete: 'cascade' }),
  provider: text({ required: true, readOnly: true, searchable: true, max: 40, example: 'google' }),
  issuer: text({ required: true, readOnly: true, searchable: true, max: 2000, example: 'https://accounts.google.com' }),
  subject: text({ required: true, readOnly: true, searchable: true, max: 255, example: '110169484474386276334' }),
  email: text({
    readOnly: true,
    max: 254,
    description: 'The email from the provider at the last sign-in. It does not identify the user.',
    example: 'ada@example.com',
  }),
  created_at: timestamp({ required: true, readOnly: true, sortable: true }),
  last_used_at: timestamp({ readOnly: true, sortable: true }),
};

/** Accounts at identity providers for sign-in. A sign-in or the settings page links them. */
export function identitiesResource({ context, mail, guardChange }: FactorServices) {
  return defineResource({
    name: 'identities',
    singular: 'identity',
    description: 'Accounts at identity providers that a user signs in with. An identity is an issuer and a subject.',
    managed: false,
    mcp: false,
    fields,
    relations: { user: belongsTo('users', { by: 'user_id' }) },
    access: { read: anyOf(role('admin'), ownRows), write: 'nobody', delete: anyOf(role('admin'), ownRows) },
    operations: ['list', 'find', 'delete'],
    deleteBody: proofBody,
    defaultOrder: 'id',
    async remove(call, { id, user_id: userId, provider, issuer }) {
      const { tx, caller, source } = call;
      await guardChange(tx, caller, userId);
      await lockSignInMethods(tx, userId);
      const removed = await deleteIdentity(tx, id);
      await requireSignInMethod(context, tx, userId);
      if (removed) await removeGrantedRoles(call, removed);
      await recordFactorChange({ context, mail }, tx, {
        userId,
        event: 'identity.unlinked',
        notice: 'factor-removed',
        what: 'a sign-in with a provider',
        actorId: caller.userId,
        rowId: id,
        data: { provider, issuer },
        source,
      });
    },
  });
}

/** After an identity was unlinked: removes the roles that it granted, because the provider can no longer remove them. */
async function removeGrantedRoles(
  { context, tx, invalidate, caller, source }: WriteCall,
  { user_id: userId, provider, roles }: Pick<IdentityRow, 'user_id' | 'provider' | 'roles'>,
): Promise<void> {
  const { database, now } = context;
  const granted: string[] = JSON.parse(roles);
  const user = granted.length === 0 ? undefined : await lockUser(tx, userId);
  if (!user) return;
  const before = rolesOf(user);
  const left = before.filter((role) => !granted.includes(role));
  if (left.length === before.length) return;
  const losesAdmin = before.includes('admin') && !left.includes('admin') && !user.disabled;
  if (losesAdmin && !(await hasOtherAdministrator(tx, database.engine, userId))) throw lastAdministrator();
  await updateUser(tx, userId, { roles: JSON.stringify(left), updated_at: now() });
  const data = { provider, roles: left, changes: { roles: { from: before, to: left } } };
  await recordEvent(context, tx, { type: 'user.roles_changed', userId, actorId: caller.userId, source, data });
  invalidate({ kind: 'user', id: userId });
}
