import type { Migration } from '../migration.ts';

/**
 * When the newest tokens of a session were first used. Sessions from before it count as not used until a token of theirs
 * is: whoever lost an answer while the service was brought up to date is not signed out by that.
 */
export const firstUses: Migration = {
  name: '003-first-uses',
  statements: ({ text, bigint }) => [
    'alter table sessions add column used_generation integer',
    `alter table sessions add column used_at ${bigint}`,
    `alter table sessions add column rotated_address ${text}`,
    'alter table sessions add column retried_generation integer',
  ],
};
