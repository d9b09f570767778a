import { basename, extname } from 'node:path';
import { modulesIn } from '../../src/config/import-file.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { systemCaller } from '../../src/platform/caller.ts';
import { OperatorError, Problem, reasonOf } from '../../src/platform/errors.ts';
import { didYouMean, importDefinition } from '../../src/resources/declaration/check-options.ts';
import type { ResourceServices } from '../../src/resources/model/resource-services.ts';
import { completeStatementsPlugin } from '../../src/resources/write/complete-statements.ts';
import { resourceFor, serviceResource } from '../../src/resources/write/resource-calls.ts';
import type { Seed } from './define-seed.ts';
import { rowFactory } from './row-factory.ts';

/** Runs the files of SEEDS_DIR in the order of their names, or only the named ones. Returns their names. */
export async function runSeeds(services: ResourceServices, names: readonly string[] = []): Promise<string[]> {
  const { config, database, log, now } = services.context;
  const dir = config.seedsDir;
  const files = modulesIn(dir);
  const nameOf = (file: string) => basename(file, extname(file));
  const seedNames = files.map(nameOf);
  for (const name of names) {
    if (!seedNames.includes(name))
      throw new OperatorError(`${dir} has no seed "${name}".${didYouMean(name, seedNames)}`);
  }
  const resource = serviceResource(resourceFor(services, { caller: systemCaller, source: systemSource }));
  const make = rowFactory(services.resources, resource);
  const db = database.db.withPlugin(completeStatementsPlugin(services.resources, now));
  const selected = files.filter((file) => names.length === 0 || names.includes(nameOf(file)));
  for (const file of selected) {
    const seed = await importDefinition<Seed>(file, 'defineSeed', 'run');
    try {
      await seed.run({ resource, make, db, now: now(), log });
    } catch (error) {
      throw new OperatorError(`${file} failed: ${describeError(error)}`);
    }
  }
  return selected.map((file) => basename(file));
}

const describeError = (error: unknown): string => {
  if (error instanceof Problem && error.errors?.length) return error.errors.map(({ message }) => message).join(' ');
  return reasonOf(error);
};
