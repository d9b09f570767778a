import type { Migration } from '../migration.ts';

/** Beside each client whether it registered itself, so that lists can say so. Those of before are marked when the house is kept. */
export const registrationOfClients: Migration = {
  name: '030-registration-of-clients',
  statements: ({ text }) => [`alter table clients add column registration ${text}`],
};
