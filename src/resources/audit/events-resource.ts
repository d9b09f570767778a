import { forAdministrators } from '../declaration/access.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { belongsTo } from '../declaration/relations.ts';
import { json, reference, text, timestamp, uuid } from '../declare.ts';

/** The audit trail, for administrators. Nobody changes it; in time it goes by itself. */
export const eventsResource = defineResource({
  name: 'events',
  description: 'Who did what, through which client, from where. Kept for EVENT_RETENTION_DAYS.',
  managed: false,
  versioned: false,
  fields: {
    type: text({ required: true, readOnly: true, searchable: true, sortable: true, folded: 'stored' }),
    user_id: reference('users', { readOnly: true, searchable: true, description: 'Whom it happened to' }),
    client_id: text({ readOnly: true, searchable: true, folded: 'stored' }),
    session_id: uuid({ readOnly: true, searchable: true }),
    actor_id: uuid({ readOnly: true, searchable: true, description: 'Who did it, where that is another' }),
    address: text({ readOnly: true, searchable: true, folded: 'stored' }),
    user_agent: text({ readOnly: true }),
    request_id: text({ readOnly: true, searchable: true }),
    row_id: text({
      readOnly: true,
      searchable: true,
      folded: 'stored',
      description: 'The row of a resource that it is about',
    }),
    data: json({ readOnly: true }),
    created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
  },
  relations: { user: belongsTo('users', { by: 'user_id' }) },
  access: { read: forAdministrators('The audit trail is for administrators.'), write: 'nobody' },
  operations: ['list', 'find'],
  defaultOrder: '-created_at',
});
