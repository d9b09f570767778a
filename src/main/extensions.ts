import { hasOtelVariables } from '../config/config.ts';
import type { Context } from '../database/context.ts';
import type { FactorServices } from '../identity/factors/factor-services.ts';
import type { ResourceDefinition } from '../resources/declaration/define-resource.ts';
import type { Extension } from './extension.ts';
import type { Services } from './services.ts';

export async function loadExtensions(context: Context, services: Services): Promise<Extension[]> {
  const { extensionsFor } = await import('../../extensions/all-extensions.ts');
  const creators = await extensionsFor(context.config);
  return Promise.all(creators.map((createExtension) => createExtension(context, services)));
}

/** A member that exactly one extension has. */
export function findMember<K extends 'changeFeed' | 'providers'>(extensions: readonly Extension[], name: K) {
  const [owner, ...others] = extensions.filter((extension) => extension[name]);
  if (!owner?.[name] || others.length > 0) throw new Error(`exactly one extension must have the member ${name}`);
  return owner[name];
}

/** The resources `identities` and `providers`, also for commands, which load no extension. */
export async function loadProviderResources(factors: FactorServices): Promise<ResourceDefinition[]> {
  const { identitiesResource } = await import('../../extensions/providers/identities-resource.ts');
  const { providersResource } = await import('../../extensions/providers/providers-resource.ts');
  return [identitiesResource(factors), providersResource];
}

/** Loads nothing unless one of OpenTelemetry's variables is set. Call it before the database is opened. */
export async function startTelemetry(version: string) {
  if (!hasOtelVariables()) return undefined;
  const extension = await import('../../extensions/opentelemetry/start-telemetry.ts');
  return extension.startTelemetry(version);
}
