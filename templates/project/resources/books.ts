import { anyOf, defineResource, owner, role, t } from 'gatehouse-server/resources';

/** Gives `GET|POST /v1/books`, `GET|PUT|PATCH|DELETE /v1/books/{id}`, a table and a page in the console. */
export default defineResource({
  name: 'books',
  fields: {
    title: t.text({ required: true, max: 200, searchable: true, sortable: true }),
    pages: t.integer({ min: 1, sortable: true }),
    user_id: t.reference('users', { default: ({ caller }) => caller.userId, immutable: true }),
  },
  // Rules also apply to administrators: name the role `admin` where administrators may do something.
  access: { read: 'public', write: anyOf(role('admin'), owner('user_id')) },
});
