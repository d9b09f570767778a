import { defineResource, type ResourceDefinition } from '../resources/declaration/define-resource.ts';

const table = (name: string, inDatabase = name.replaceAll('-', '_')): ResourceDefinition =>
  defineResource({
    name,
    table: inDatabase,
    managed: false,
    fields: {},
    operations: [],
    access: { read: 'nobody', write: 'nobody' },
  });

/** The service's own resources by name and table, for commands: they work on tables and scopes while no service is running. */
export const serviceTables: readonly ResourceDefinition[] = [
  table('users'),
  table('roles'),
  table('clients'),
  table('tokens', 'sessions'),
  table('passkeys'),
  table('authenticators'),
  table('identities'),
  table('providers'),
  table('browsers', 'remembered_browsers'),
  table('events'),
  table('consents'),
  table('queued-jobs'),
  table('scheduled-jobs'),
  table('job-runs'),
  table('mcp-calls'),
  table('webhooks'),
  table('webhook-deliveries'),
];
