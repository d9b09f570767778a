import { forAdministrators } from '../../src/resources/declaration/access.ts';
import { defineResource, type ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import { list, oneOf, text, timestamp, uuid } from '../../src/resources/declare.ts';

/** Publishes changes of users' sessions to administrators. Refreshes and sessions without a user are not published. */
export const sessionChanges: ResourceDefinition = {
  ...defineResource({
    name: 'sessions',
    managed: false,
    versioned: false,
    fields: {
      type: oneOf(['session', 'personal'], { readOnly: true, searchable: true }),
      name: text({ readOnly: true, searchable: true }),
      user_id: uuid({ readOnly: true, searchable: true }),
      client_id: text({ readOnly: true, searchable: true, folded: 'stored' }),
      scopes: list({ readOnly: true, searchable: true }),
      created_at: timestamp({ readOnly: true, searchable: true }),
      revoked_at: timestamp({ readOnly: true, searchable: true, description: 'The time at which the session ended' }),
    },
    operations: [],
    access: { read: forAdministrators('Only administrators can follow sessions.'), write: 'nobody' },
    changes: true,
  }),
  recordedWith: 'user_id',
  served: false,
};
