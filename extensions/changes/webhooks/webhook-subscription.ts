import type { Context } from '../../../src/database/context.ts';
import type { Caller } from '../../../src/platform/caller.ts';
import { Problem } from '../../../src/platform/errors.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { readSubscription, type Subscription } from '../view/subscription.ts';

/** The webhook names a resource or a field that does not exist. It can deliver nothing until its owner changes it. */
export class InvalidWebhook extends Error {}

/** The subscription of a webhook, with the owner's current rights. Skips the resources that the owner may not read. */
export function webhookSubscription(
  context: Pick<Context, 'database' | 'now'>,
  all: Resources,
  owner: Caller,
  wanted: { readonly resources: readonly string[]; readonly search?: string | undefined },
): Subscription {
  const readable = wanted.resources.flatMap((name) => {
    try {
      return [readSubscription(context, all, owner, { resources: name, search: wanted.search })];
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      if (error.status === 401 || error.status === 403) return [];
      throw new InvalidWebhook(error.message);
    }
  });
  const resources = new Map(readable.flatMap((subscription) => [...subscription.resources]));
  return { caller: owner, resources, key: readable[0]?.key ?? '' };
}
