import { allOf, computed, defineResource, role, stepUp, text, uuid } from 'gatehouse-server/resources';

export default defineResource({
  name: 'books',
  softDelete: true,
  fields: {
    title: text({ required: true, sortable: true, searchable: true, example: "costs 5 $'" }),
    shelf: uuid(),
    state: text({ readOnly: true, default: 'here' }),
    length: computed({ as: 'integer', from: ['title'] }, ({ title }) => title.length),
  },
  access: {
    read: 'auth:api',
    write: role('admin'),
    update: allOf(role('admin'), stepUp()),
    delete: allOf(role('admin'), stepUp()),
  },
  actions: [
    { name: 'copies', summary: 'Copy', status: 201, run: ({ row }) => ({ of: row.id }) },
    { name: 'loans', summary: 'Lend', access: allOf(role('admin'), stepUp()), run: () => undefined },
  ],
});
