import type { Caller } from '../../../platform/caller.ts';
import { decide } from '../../declaration/access.ts';
import type { Resources } from '../../model/resource.ts';
import { recordedResources } from '../view/subscription.ts';

/** The resources with changes of which the caller may read every row. */
export const fullyReadable = (resources: Resources, caller: Caller, now: number): string[] =>
  [...recordedResources(resources).values()]
    .filter(({ definition }) => {
      try {
        return decide(definition.access.read, caller, now) === true;
      } catch {
        return false;
      }
    })
    .map(({ name }) => name);
