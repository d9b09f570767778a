import { action, defineResource } from '../../../src/resources/declaration/define-resource.ts';
import { belongsTo } from '../../../src/resources/declaration/relations.ts';
import { integer, reference, text } from '../../../src/resources/declare.ts';

export default defineResource({
  name: 'notes',
  fields: {
    title: text({ required: true, max: 200, searchable: true, sortable: true }),
    stars: integer({ min: 0, max: 5, default: 0, searchable: true, sortable: true }),
    folder_id: reference('folders', { searchable: true }),
  },
  relations: { folder: belongsTo('folders', { by: 'folder_id' }) },
  access: { read: 'auth:api', write: 'auth:api' },
  actions: [action({ name: 'applaud', summary: 'Tell the author.', run: ({ row }) => ({ told: row.id }) })],
});
