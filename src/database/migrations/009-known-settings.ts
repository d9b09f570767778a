import type { Migration } from '../migration.ts';

/** The settings of the last start, so that the audit trail can say what an operator changed. */
export const knownSettings: Migration = {
  name: '009-known-settings',
  statements: ({ text }) => [`create table known_settings (name ${text} primary key, value ${text} not null)`],
};
