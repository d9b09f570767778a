import type { Config } from '../config/config.ts';
import type { Db } from '../database/database.ts';
import type { Finding } from './finding.ts';

/** Checks the rows that the extensions have stored, for `gatehouse doctor`. */
export async function checkExtensionRows(db: Db): Promise<Finding[]> {
  const { checkProviderFailures } = await import('../../extensions/providers/check-failures.ts');
  return checkProviderFailures(db);
}

/** Checks the settings of the extensions, for `gatehouse doctor`. */
export async function checkExtensions(config: Config): Promise<Finding[]> {
  const { checkProviders } = await import('../../extensions/providers/check-providers.ts');
  return checkProviders(config);
}
