import type { Context } from '../../database/context.ts';
import type { Providers } from '../../identity/providers/providers.ts';
import { serviceVersion } from '../../platform/version.ts';
import { checkDatabase } from '../doctor/check-database.ts';
import { checkMail } from '../doctor/check-mail.ts';
import { checkProviderSecrets } from '../doctor/check-providers.ts';
import { checkSettings } from '../doctor/check-settings.ts';

const cacheMs = 60_000;

/** The findings of `gatehouse doctor` for the running service. Requests within a minute share one run. */
export class Diagnosis {
  readonly #context: Context;
  readonly #providers: Pick<Providers, 'definitions'>;
  readonly #startedAt: number;
  #last: { readonly at: number; readonly result: ReturnType<typeof examine> } | undefined;

  constructor(context: Context, providers: Pick<Providers, 'definitions'>) {
    this.#context = context;
    this.#providers = providers;
    this.#startedAt = context.now();
  }

  run(): ReturnType<typeof examine> {
    const at = this.#context.now();
    if (this.#last && at - this.#last.at < cacheMs) return this.#last.result;
    const result = examine(this.#context, this.#providers, this.#startedAt);
    this.#last = { at, result };
    result.catch(() => {
      this.#last = undefined;
    });
    return result;
  }
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
