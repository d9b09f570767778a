/** What a file of MIGRATIONS_DIR imports, as `gatehouse/migrations`. */
export { sql } from 'kysely';
export { defineMigration, type MigrationCall, type OwnMigration } from './define-migration.ts';
