import { forAdministrators } from '../declaration/access.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { json, reference, text, timestamp, uuid } from '../declaration/fields/field-builders.ts';
import { belongsTo } from '../declaration/relations.ts';

export const eventsResource = defineResource({
  name: 'events',
  description: 'The audit trail: the actor, the action, the client and the address. Kept for EVENT_RETENTION_DAYS.',
  managed: false,
  versioned: false,
  fields: {
    type: text({ required: true, readOnly: true, searchable: true, sortable: true, folded: 'stored' }),
    user_id: reference('users', { readOnly: true, searchable: true, description: 'The affected user' }),
    client_id: text({ readOnly: true, searchable: true, folded: 'stored' }),
    session_id: uuid({ readOnly: true, searchable: true }),
    actor_id: uuid({ readOnly: true, searchable: true, description: 'The user who acted, if it is a different user' }),
    address: text({ readOnly: true, searchable: true, folded: 'stored' }),
    user_agent: text({ readOnly: true }),
    request_id: text({ readOnly: true, searchable: true }),
    row_id: text({ readOnly: true, searchable: true, folded: 'stored', description: 'The id of the affected row' }),
    data: json({ readOnly: true }),
    created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
  },
  relations: { user: belongsTo('users', { by: 'user_id' }) },
  access: { read: forAdministrators('Only administrators can read the audit trail.'), write: 'nobody' },
  operations: ['list', 'find'],
  defaultOrder: '-created_at',
});
