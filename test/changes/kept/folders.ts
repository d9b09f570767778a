import { anyOf, defineResource, owner, role, t } from '../../../src/resources/declare.ts';

/** Keeps deleted rows. */
export default defineResource({
  name: 'folders',
  softDelete: true,
  changes: true,
  fields: {
    name: t.text({ required: true, searchable: true }),
    user_id: t.reference('users', { default: ({ caller }) => caller.userId }),
  },
  access: { read: anyOf(role('admin'), owner('user_id')), write: 'auth:api' },
});
