/** What a file of SEEDS_DIR imports, as `gatehouse-server/seeds`. */
export { defineSeed, type Seed, type SeedCall } from './define-seed.ts';
