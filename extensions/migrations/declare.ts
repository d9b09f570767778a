/** The module `gatehouse-server/migrations`, for files of MIGRATIONS_DIR. */
export { sql } from 'kysely';
export { defineMigration, type MigrationCall, type OwnMigration } from './operator/define-migration.ts';
