import { defineResource, equals, text } from 'gatehouse-server/resources';

/** The row contains the id of the user who sees it. */
export default defineResource({
  name: 'papers',
  fields: { holder: text({ required: true }) },
  access: {
    read: (caller) => caller.userId !== null && equals('holder', caller.userId),
    write: 'auth:api',
  },
});
