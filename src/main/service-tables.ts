import { defineResource, type ResourceDefinition } from '../resources/declaration/define-resource.ts';

/** The tables whose names differ from those of their resources. */
const otherNames = new Map([
  ['tokens', 'sessions'],
  ['browsers', 'remembered_browsers'],
]);

/** The service's own resources by name and table, for commands: they work on tables and scopes while no service is running. */
export const serviceTables: readonly ResourceDefinition[] = [
  ...['users', 'roles', 'clients', 'tokens', 'passkeys', 'authenticators', 'identities', 'providers', 'browsers'],
  ...['events', 'consents', 'queued-jobs', 'scheduled-jobs', 'job-runs', 'mcp-calls', 'webhooks', 'webhook-deliveries'],
].map((name) =>
  defineResource({
    name,
    table: otherNames.get(name) ?? name.replaceAll('-', '_'),
    managed: false,
    fields: {},
    operations: [],
    access: { read: 'nobody', write: 'nobody' },
  }),
);
