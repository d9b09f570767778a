import type { Tx } from '../../database/database.ts';
import { systemSource } from '../../http/request-source.ts';
import { systemCaller } from '../../platform/caller.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import type { ServiceResourceOf } from '../declaration/resource-calls.ts';
import { compileResources } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { HookRuns } from '../write/hook-runs.ts';
import { createCall, serviceResource } from '../write/resource-calls.ts';
import { writeContext } from '../write/write-transaction.ts';

export type MigrationServices = Omit<ResourceServices, 'resources'>;

/** The declared resources inside the transaction of a migration, with the tables as they are at that time. */
export function migrationResources(
  base: MigrationServices,
  tx: Tx,
  definitions: readonly ResourceDefinition[],
): ServiceResourceOf {
  const services = { ...base, resources: compileResources(definitions) };
  const call = createCall(services, { caller: systemCaller, source: systemSource });
  // Nothing is cached yet. Hooks that run after a commit are skipped, because the migration may still be undone.
  const open = { tx, invalidate: () => undefined, recorded: false, hooks: new HookRuns('postgres'), afterCommit: [] };
  writeContext(services, call, open);
  const resource = serviceResource(call.resource);
  return (name) => {
    if (services.resources.get(name)?.definition.managed === false) {
      throw new Error(`resource("${name}"): a migration writes declared resources. This one belongs to the service.`);
    }
    return resource(name, { tx });
  };
}
