import type { Caller } from '../../../src/platform/caller.ts';
import { allowsEveryRow } from '../../../src/resources/declaration/access.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { recordedResources } from '../view/subscription.ts';

/** The resources with changes of which the caller may read every row. */
export const fullyReadableResources = (resources: Resources, caller: Caller, now: number): string[] =>
  [...recordedResources(resources).values()]
    .filter(({ definition }) => allowsEveryRow(definition.access.read, caller, now))
    .map(({ name }) => name);
