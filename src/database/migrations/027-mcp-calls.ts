import type { Migration } from '../migration.ts';

/** How often each application used a tool at /mcp, day by day. */
export const mcpCalls: Migration = {
  name: '027-mcp-calls',
  statements: ({ text, bigint }) => [
    `create table mcp_calls (
      id ${text} primary key,
      client_id ${text} not null,
      application ${text} not null,
      day ${text} not null,
      calls integer not null,
      last_tool ${text} not null,
      last_call_at ${bigint} not null,
      unique (client_id, day)
    )`,
    'create index mcp_calls_day on mcp_calls (day, id)',
  ],
};
