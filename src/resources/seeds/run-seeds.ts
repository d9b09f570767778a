import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../config/import-file.ts';
import { systemSource } from '../../http/request-source.ts';
import { systemCaller } from '../../platform/caller.ts';
import { OperatorError, Problem } from '../../platform/errors.ts';
import { checkOptions, nearestOf } from '../declaration/check-options.ts';
import { callback } from '../declaration/option-kind.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { completing } from '../write/complete-statements.ts';
import { resourceFor, serviceResource } from '../write/resource-calls.ts';
import type { Seed } from './define-seed.ts';
import { rowFactory } from './row-factory.ts';

const isSeed = (name: string): boolean => /\.(ts|js|mjs)$/.test(name) && !/\.(d|test)\.\w+$/.test(name);

/** Runs the files of SEEDS_DIR in the order of their names, or those that are named. Returns their names. */
export async function runSeeds(services: ResourceServices, names: readonly string[] = []): Promise<string[]> {
  const { config, database, log, now } = services.context;
  const dir = config.seedsDir;
  const files = existsSync(dir) ? readdirSync(dir).filter(isSeed).sort() : [];
  const known = files.map((file) => file.replace(/\.\w+$/, ''));
  for (const name of names) {
    if (!known.includes(name)) throw new OperatorError(`${dir} has no seed "${name}".${nearestOf(name, known)}`);
  }
  const resource = serviceResource(resourceFor(services, { caller: systemCaller, source: systemSource }));
  const make = rowFactory(services.resources, resource);
  const db = database.db.withPlugin(completing(services.resources, now));
  const wanted = files.filter((_, i) => names.length === 0 || names.includes(known[i] as string));
  for (const file of wanted) {
    const seed = await loadSeed(join(dir, file));
    try {
      await seed.run({ resource, make, db, now: now(), log });
    } catch (error) {
      throw new OperatorError(`${join(dir, file)} failed: ${whyOf(error)}`);
    }
  }
  return wanted;
}

const whyOf = (error: unknown): string => {
  if (error instanceof Problem && error.errors?.length) return error.errors.map(({ message }) => message).join(' ');
  return error instanceof Error ? error.message : String(error);
};

async function loadSeed(file: string): Promise<Seed> {
  const { default: seed } = await importFile(file);
  const complaints: string[] = [];
  if (typeof seed !== 'object' || seed === null) complaints.push('it must `export default defineSeed({ run })`.');
  else {
    checkOptions('', seed, { run: callback }, (where, what) => complaints.push(`${where}: ${what}`));
    if (!('run' in seed)) complaints.push('run is missing: the function that does the work.');
  }
  if (complaints.length > 0) throw new OperatorError(`${file}:\n  ${complaints.join('\n  ')}`);
  return seed as Seed;
}
