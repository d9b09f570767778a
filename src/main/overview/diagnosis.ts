import { readFileSync } from 'node:fs';
import type { Context } from '../../database/context.ts';
import type { Providers } from '../../identity/providers/providers.ts';
import { parseJson } from '../../platform/json-text.ts';
import { checkDatabase } from '../doctor/check-database.ts';
import { checkMail } from '../doctor/check-mail.ts';
import { checkProviderSecrets } from '../doctor/check-providers.ts';
import { checkSettings } from '../doctor/check-settings.ts';
import type { Finding } from '../doctor/finding.ts';

const cacheMs = 60_000;

interface DiagnosisResult {
  readonly version: string;
  readonly node: string;
  readonly database: string;
  readonly started_at: string;
  readonly findings: Finding[];
}

/** The findings of `gatehouse doctor` for the running service. Requests within a minute share one run. */
export class Diagnosis {
  readonly #context: Context;
  readonly #providers: Pick<Providers, 'definitions'>;
  readonly #startedAt: number;
  #last: { readonly at: number; readonly answer: Promise<DiagnosisResult> } | undefined;

  constructor(context: Context, providers: Pick<Providers, 'definitions'>) {
    this.#context = context;
    this.#providers = providers;
    this.#startedAt = context.now();
  }

  run(): Promise<DiagnosisResult> {
    const at = this.#context.now();
    if (this.#last && at - this.#last.at < cacheMs) return this.#last.answer;
    const response = this.#examine();
    this.#last = { at, answer: response };
    response.catch(() => {
      this.#last = undefined;
    });
    return response;
  }

  async #examine(): Promise<DiagnosisResult> {
    const { config, database, now } = this.#context;
    const [inDatabase, mail] = await Promise.all([checkDatabase({ config, database, now }), checkMail(config)]);
    const secrets = checkProviderSecrets(await this.#providers.definitions(), now());
    return {
      version: packageVersion(),
      node: process.versions.node,
      database: database.engine,
      started_at: new Date(this.#startedAt).toISOString(),
      findings: [...checkSettings(config), ...inDatabase, mail, ...secrets],
    };
  }
}

const packageVersion = (): string =>
  parseJson<{ version: string }>(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version;
