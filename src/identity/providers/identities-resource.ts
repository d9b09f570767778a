import { anyOf, ownRows, role } from '../../resources/declaration/access.ts';
import { defineResource } from '../../resources/declaration/define-resource.ts';
import { belongsTo } from '../../resources/declaration/relations.ts';
import { reference, text, timestamp } from '../../resources/declare.ts';
import { recordFactorChange } from '../factors/factor-notices.ts';
import type { FactorServices } from '../factors/factor-services.ts';
import { removeGrantedRoles } from './apply-sign-in.ts';
import { deleteIdentity, lockSignInMethods } from './identity-store.ts';
import { requireSignInMethod } from './sign-in-methods.ts';

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
    defaultOrder: 'id',
    async remove(call, { id, user_id: userId, provider, issuer }) {
      const { tx, caller, source } = call;
      await guardChange(tx, caller);
      await lockSignInMethods(tx, userId);
      const removed = await deleteIdentity(tx, id);
      await requireSignInMethod(context, tx, userId);
      if (removed) await removeGrantedRoles(call, removed);
      await recordFactorChange(context, mail, tx, {
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
