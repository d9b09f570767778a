import { allOf, anyOf, defineResource, owner, reference, role, stepUp, text } from '../../../src/resources/declare.ts';

const recently = stepUp({ maxAge: '5m' });

export default defineResource({
  name: 'vaults',
  fields: {
    title: text({ required: true, searchable: true }),
    user_id: reference('users', { default: ({ caller }) => caller.userId, immutable: true }),
  },
  access: {
    read: anyOf(owner('user_id'), role('admin')),
    write: owner('user_id'),
    update: anyOf(owner('user_id'), allOf(role('admin'), recently)),
    delete: allOf(owner('user_id'), recently),
  },
  actions: [
    {
      name: 'openings',
      summary: 'Open a vault',
      access: allOf(owner('user_id'), stepUp({ acr: 2, maxAge: '5m' })),
      run: () => ({ open: true }),
    },
  ],
});
