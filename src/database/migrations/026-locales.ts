import type { Migration } from '../migration.ts';

/** The language that a user has chosen (BCP 47); null: whatever their browser asks for. */
export const locales: Migration = {
  name: '026-locales',
  statements: ({ text }) => [`alter table users add column locale ${text}`],
};
