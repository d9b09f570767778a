import type { Migration } from '../migration.ts';

/** The application's name beside what a user allowed it: people may not see the clients of others. */
export const namesInConsents: Migration = {
  name: '028-names-in-consents',
  statements: ({ text }) => [`alter table consents add column client_name ${text}`],
};
