/** What a file of MIGRATIONS_DIR imports, as `gatehouse-server/migrations`. */
export { sql } from 'kysely';
export { defineMigration, type MigrationCall, type OwnMigration } from './define-migration.ts';
