import { readFileSync } from 'node:fs';
import type { Context } from '../../database/context.ts';
import type { Providers } from '../../identity/providers/providers.ts';
import { examineDatabase } from '../doctor/examine-database.ts';
import type { Finding } from '../doctor/finding.ts';
import { lookAtMail } from '../doctor/look-at-mail.ts';
import { lookAtSecrets } from '../doctor/look-at-providers.ts';
import { lookAtSettings } from '../doctor/look-at-settings.ts';

const goodForMs = 60_000;

interface Diagnosed {
  readonly version: string;
  readonly node: string;
  readonly database: string;
  readonly started_at: string;
  readonly findings: Finding[];
}

/** What `gatehouse doctor` would say of the service that runs. Who asks within a minute shares one look. */
export class Diagnosis {
  readonly #context: Context;
  readonly #providers: Pick<Providers, 'definitions'>;
  readonly #startedAt: number;
  #last: { readonly at: number; readonly answer: Promise<Diagnosed> } | undefined;

  constructor(context: Context, providers: Pick<Providers, 'definitions'>) {
    this.#context = context;
    this.#providers = providers;
    this.#startedAt = context.now();
  }

  look(): Promise<Diagnosed> {
    const at = this.#context.now();
    if (this.#last && at - this.#last.at < goodForMs) return this.#last.answer;
    const answer = this.#examine();
    this.#last = { at, answer };
    answer.catch(() => {
      this.#last = undefined;
    });
    return answer;
  }

  async #examine(): Promise<Diagnosed> {
    const { config, database, now } = this.#context;
    const [inDatabase, mail] = await Promise.all([examineDatabase({ config, database, now }), lookAtMail(config)]);
    const secrets = lookAtSecrets(await this.#providers.definitions(), now());
    return {
      version: packageVersion(),
      node: process.versions.node,
      database: database.engine,
      started_at: new Date(this.#startedAt).toISOString(),
      findings: [...lookAtSettings(config), ...inDatabase, mail, ...secrets],
    };
  }
}

const packageVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }).version;
