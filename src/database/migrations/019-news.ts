import type { Migration } from '../migration.ts';

/** On SQLite, what processes that share the file tell each other. PostgreSQL tells it by itself, and leaves the table empty. */
export const news: Migration = {
  name: '019-news',
  statements: ({ text, bigint }) => [`create table news (id ${bigint} primary key, changes ${text} not null)`],
};
