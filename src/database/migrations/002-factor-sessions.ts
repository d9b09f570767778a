import type { Migration } from '../migration.ts';

export const factorSessions: Migration = {
  name: '002-factor-sessions',
  statements: ({ text }) =>
    ['passkeys', 'authenticators'].map((table) => `alter table ${table} add column session_id ${text}`),
};
