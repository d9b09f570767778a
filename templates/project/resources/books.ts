import { defineResource, integer, text } from 'gatehouse-server/resources';

/** `GET|POST /v1/books`, `GET|PUT|PATCH|DELETE /v1/books/{id}`, a table, a page in the console: all from this. */
export default defineResource({
  name: 'books',
  fields: {
    title: text({ required: true, max: 200, searchable: true, sortable: true }),
    pages: integer({ min: 1, sortable: true }),
  },
  access: { read: 'public', write: 'auth:api' },
});
