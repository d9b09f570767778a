import type { Config } from '../config/config.ts';
import type { Db } from '../database/database.ts';
import type { Finding } from './finding.ts';

/** The findings of `gatehouse doctor` about rows that extensions have stored. */
export async function checkExtensionRows(db: Db): Promise<Finding[]> {
  const { checkProviderFailures } = await import('../../extensions/providers/check-failures.ts');
  return checkProviderFailures(db);
}

/** The findings of `gatehouse doctor` about the settings of extensions. */
export async function checkExtensions(config: Config): Promise<Finding[]> {
  const { checkProviders } = await import('../../extensions/providers/check-providers.ts');
  return checkProviders(config);
}
