import type { Tx } from '../../../src/database/database.ts';
import { systemSource } from '../../../src/http/request-source.ts';
import { systemCaller } from '../../../src/platform/caller.ts';
import type { ResourceDefinition } from '../../../src/resources/declaration/define-resource.ts';
import type { ServiceResourceOf } from '../../../src/resources/declaration/resource-calls.ts';
import { compileResources } from '../../../src/resources/model/resource.ts';
import type { ResourceServices } from '../../../src/resources/model/resource-services.ts';
import { HookRuns } from '../../../src/resources/write/hook-runs.ts';
import { createCall, serviceResource } from '../../../src/resources/write/resource-calls.ts';
import { writeContext } from '../../../src/resources/write/write-transaction.ts';

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
