import { belongsTo, defineResource, reference, text } from 'gatehouse-server/resources';

export default defineResource({
  name: 'notes',
  fields: { title: text({ required: true, searchable: true }), diary_id: reference('diaries') },
  relations: { diary: belongsTo('diaries', { by: 'diary_id' }) },
  access: { read: 'auth:api', write: 'auth:api' },
  actions: [
    {
      name: 'count',
      on: 'collection',
      method: 'GET',
      access: 'auth:api',
      summary: 'Count them',
      run: () => ({ count: 3 }),
    },
  ],
});
