import type { Context } from '../../database/context.ts';
import type { Providers } from '../../identity/providers/providers.ts';
import { serviceVersion } from '../../platform/version.ts';
import { checkDatabase } from '../doctor/check-database.ts';
import { checkMail } from '../doctor/check-mail.ts';
import { checkProviderSecrets } from '../doctor/check-providers.ts';
import { checkSettings } from '../doctor/check-settings.ts';

const cacheMs = 60_000;

/** Returns the findings of `gatehouse doctor` for the running service. Requests within a minute share one run. */
export function createDiagnosis(context: Context, providers: Pick<Providers, 'definitions'>) {
  const startedAt = context.now();
  let last: { readonly at: number; readonly result: ReturnType<typeof examine> } | undefined;
  return () => {
    const at = context.now();
    if (last && at - last.at < cacheMs) return last.result;
    const result = examine(context, providers, startedAt);
    last = { at, result };
    result.catch(() => {
      last = undefined;
    });
    return result;
  };
}

async function examine(
  { config, database, now }: Context,
  providers: Pick<Providers, 'definitions'>,
  startedAt: number,
) {
  const [inDatabase, mail] = await Promise.all([checkDatabase({ config, database, now }), checkMail(config)]);
  const secrets = checkProviderSecrets(await providers.definitions(), now());
  return {
    version: serviceVersion,
    node: process.versions.node,
    database: database.engine,
    started_at: new Date(startedAt).toISOString(),
    findings: [...checkSettings(config), ...inDatabase, mail, ...secrets],
  };
}
