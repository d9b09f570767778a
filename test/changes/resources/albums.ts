import { anyOf, defineResource, equals, manyToMany, related, role, text } from '../../../src/resources/declare.ts';

/** Visible to callers who see one of its open labels. */
export default defineResource({
  name: 'albums',
  fields: { name: text({ required: true }) },
  relations: { labels: manyToMany('labels', { through: 'labellings', from: 'album_id', to: 'label_id' }) },
  access: { read: anyOf(role('admin'), () => related('labels', equals('open', true))), write: 'auth:api' },
  changes: true,
});
