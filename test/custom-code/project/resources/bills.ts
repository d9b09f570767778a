import { conflict, defineResource, role, t } from 'gatehouse-server/resources';

export default defineResource({
  name: 'bills',
  fields: {
    title: t.text({ required: true, searchable: true, sortable: true }),
    amount: t.integer({ required: true, min: 0 }),
    currency: t.text({ default: 'EUR' }),
    visit_id: t.reference('pet-visits', { onDelete: 'cascade' }),
    number: t.text({ unique: true }),
    paid_at: t.timestamp({ readOnly: true, searchable: true }),
  },
  access: { read: role('admin'), write: role('admin') },
  events: true,
  changes: true,
  hooks: {
    afterWrite(_call, { after }) {
      if (after?.title === 'refuse me') throw conflict('Refused after it was written.');
    },
  },
});
