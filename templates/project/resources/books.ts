import { defineResource, t } from 'gatehouse-server/resources';

/** Gives `GET|POST /v1/books`, `GET|PUT|PATCH|DELETE /v1/books/{id}`, a table and a page in the console. */
export default defineResource({
  name: 'books',
  fields: {
    title: t.text({ required: true, max: 200, searchable: true, sortable: true }),
    pages: t.integer({ min: 1, sortable: true }),
  },
  access: { read: 'public', write: 'auth:api' },
});
