import { defineResource } from '../../../src/resources/declaration/define-resource.ts';
import { hasMany } from '../../../src/resources/declaration/relations.ts';
import { text } from '../../../src/resources/declare.ts';

export default defineResource({
  name: 'folders',
  fields: { name: text({ required: true, unique: true, searchable: true, sortable: true }) },
  relations: { notes: hasMany('notes', { by: 'folder_id' }) },
  access: { read: 'auth:api', write: 'auth:api' },
});
