import type { Migration } from '../migration.ts';

/** A secret says which MAC key hashed it, so that keys can be replaced while secrets stay. Until now there was one. */
export const keysOfSecrets: Migration = {
  name: '005-keys-of-secrets',
  statements: ({ text }) => [
    `alter table client_secrets add column key_id ${text}`,
    `update client_secrets set key_id = (select min(id) from signing_keys where purpose = 'mac')`,
  ],
};
