import { defineResource, owner, reference, text } from '../../../src/resources/declare.ts';

/** Only the owner reads a row. Administrators do not. */
export default defineResource({
  name: 'diaries',
  fields: {
    entry: text({ required: true }),
    user_id: reference('users', { default: ({ caller }) => caller.userId }),
  },
  access: { read: owner('user_id'), write: owner('user_id') },
  changes: true,
  events: true,
});
