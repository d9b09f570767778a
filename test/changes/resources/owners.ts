import { anyOf, defineResource, owner, reference, role, text } from '../../../src/resources/declare.ts';

export default defineResource({
  name: 'owners',
  fields: {
    name: text({ required: true, searchable: true }),
    user_id: reference('users', { default: ({ caller }) => caller.userId }),
  },
  access: { read: anyOf(role('admin'), owner('user_id')), write: 'auth:api' },
  changes: true,
});
