import { forAdministrators } from '../../src/resources/declaration/access.ts';
import { defineResource } from '../../src/resources/declaration/define-resource.ts';
import { date, integer, text, timestamp } from '../../src/resources/declare.ts';

/** The use of /mcp by application, for administrators. Single calls are events (`mcp.called`). */
export const callsResource = defineResource({
  name: 'mcp-calls',
  description: 'The number of tool calls of each application at /mcp, per day. Kept for EVENT_RETENTION_DAYS.',
  managed: false,
  mcp: false,
  versioned: false,
  fields: {
    application: text({ required: true, readOnly: true, searchable: true, sortable: true, folded: 'stored' }),
    client_id: text({ required: true, readOnly: true, searchable: true, folded: 'stored' }),
    day: date({ required: true, readOnly: true, searchable: true, sortable: true }),
    calls: integer({ required: true, readOnly: true, searchable: true, sortable: true }),
    last_tool: text({ required: true, readOnly: true }),
    last_call_at: timestamp({ required: true, readOnly: true, sortable: true }),
  },
  access: { read: forAdministrators('Only administrators can see the calls of applications.'), write: 'nobody' },
  operations: ['list', 'find'],
  defaultOrder: '-day',
});
