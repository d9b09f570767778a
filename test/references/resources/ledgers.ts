import { defineResource, reference, text } from 'gatehouse-server/resources';

/** Blocks the deletion of its user. */
export default defineResource({
  name: 'ledgers',
  fields: {
    title: text({ required: true, max: 80 }),
    user_id: reference('users', { default: ({ caller }) => caller.userId, onDelete: 'restrict' }),
  },
  access: { read: 'auth:api', write: 'auth:api' },
});
