import type { Context } from '../../../src/database/context.ts';
import type { ProviderButton } from '../../../src/identity/providers/sign-in-providers.ts';
import type { ProviderDefinition } from '../declaration/define-provider.ts';
import { loadProviders } from '../declaration/load-providers.ts';
import { ProviderClient } from './provider-client.ts';

/** The providers for sign-in. Each request reads them again, so that they can come from other sources than files. */
export class Providers {
  readonly #clients: ReadonlyMap<string, ProviderClient>;

  constructor(context: Pick<Context, 'config' | 'log' | 'now'>, definitions: readonly ProviderDefinition[]) {
    this.#clients = new Map(definitions.map((each) => [each.name, new ProviderClient(context, each)]));
  }

  static async load(context: Pick<Context, 'config' | 'log' | 'now'>): Promise<Providers> {
    return new Providers(context, await loadProviders(context.config));
  }

  /** Undefined if there is no enabled provider with this name. */
  async find(name: string): Promise<ProviderClient | undefined> {
    const client = this.#clients.get(name);
    return client?.definition.enabled === false ? undefined : client;
  }

  /** All enabled providers, in the order of the declarations. */
  async list(): Promise<ProviderClient[]> {
    return [...this.#clients.values()].filter(({ definition }) => definition.enabled !== false);
  }

  /** All declared providers, including disabled ones. */
  async definitions(): Promise<ProviderDefinition[]> {
    return [...this.#clients.values()].map(({ definition }) => definition);
  }

  async buttons(): Promise<ProviderButton[]> {
    return (await this.list()).map(({ button }) => button);
  }
}
