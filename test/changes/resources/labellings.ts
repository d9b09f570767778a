import { defineResource, owner, reference } from '../../../src/resources/declare.ts';

/** Callers see only their own rows. */
export default defineResource({
  name: 'labellings',
  fields: {
    album_id: reference('albums', { required: true }),
    label_id: reference('labels', { required: true }),
    user_id: reference('users', { default: ({ caller }) => caller.userId }),
  },
  access: { read: owner('user_id'), write: 'auth:api' },
});
