/** The module `gatehouse-server/seeds`, for files of SEEDS_DIR. */
export { defineSeed, type Seed, type SeedCall } from './define-seed.ts';
