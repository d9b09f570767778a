import { Type } from 'typebox';
import type { KeyRing } from '../../../src/database/keys/key-ring.ts';
import { webhookLabel } from '../../../src/database/keys/sealed-columns.ts';
import { forbidApplications } from '../../../src/http/gate/forbid-applications.ts';
import { requireProof } from '../../../src/http/gate/require-proof.ts';
import { conflict, type FieldError, forbidden, Problem, unprocessable } from '../../../src/platform/errors.ts';
import { anyOf, ownRows, role } from '../../../src/resources/declaration/access.ts';
import { type Call, defineResource, type WriteCall } from '../../../src/resources/declaration/define-resource.ts';
import { belongsTo, hasMany } from '../../../src/resources/declaration/relations.ts';
import { asProofTooOld } from '../../../src/resources/declaration/step-up.ts';
import { boolean, integer, list, oneOf, reference, text, timestamp } from '../../../src/resources/declare.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { readSubscription } from '../view/subscription.ts';
import { createPing } from './delivery-rows.ts';
import { fullyReadableResources } from './fully-readable.ts';
import { userAsCaller } from './user-as-caller.ts';
import { newSecret, verifyingKey } from './webhook-signature.ts';
import {
  countWebhooks,
  insertDeliveries,
  newestPosition,
  replaceSecret,
  requeueDeliveries,
  restartDeliveries,
} from './webhook-store.ts';

const hour = 3_600_000;
const defaultKeepHours = 24;
/** Every webhook stores and sends each change again. */
const maxPerUser = 20;
const operations = ['created', 'updated', 'deleted'] as const;

export interface WebhookServices {
  readonly keys: KeyRing;
  /** The served resources, available after the start. */
  resources(): Resources;
  wake(): void;
}

const needsProof: FieldError = {
  field: 'resources',
  code: 'invalid',
  message: 'One of the resources can only be read with a recent proof of identity. A webhook has no proof.',
};

interface Wanted {
  readonly url?: string | null | undefined;
  readonly resources?: readonly string[] | null | undefined;
  readonly search?: string | null | undefined;
}

/** Rejects resources that the caller may not read, and invalid searches, when a webhook is created or changed. */
function check(
  { context, caller }: Pick<Call, 'context' | 'caller'>,
  services: WebhookServices,
  { url, resources, search }: Wanted,
): void {
  const errors: FieldError[] = [];
  const parsed = url ? URL.parse(url) : null;
  const isUrl =
    parsed && ['https:', 'http:'].includes(parsed.protocol) && parsed.username === '' && parsed.password === '';
  if (url && !isUrl)
    errors.push({ field: 'url', code: 'invalid', message: 'url must be an http or https URL without a password.' });
  if (resources) {
    try {
      const parameters = { resources: resources.join(','), search: search ?? undefined };
      readSubscription(context, services.resources(), caller, parameters);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const refusal = { field: search ? 'search' : 'resources', code: 'invalid', message: error.message };
      errors.push(asProofTooOld(error) ? needsProof : refusal);
    }
  }
  if (errors.length > 0) throw unprocessable(errors);
}

/** Checks again with the rights that deliveries have: those of the owner, without a proof of identity. */
async function checkOwner(
  { context, tx }: WriteCall,
  services: WebhookServices,
  userId: string | null,
  wanted: Wanted,
) {
  const owner = userId === null ? undefined : await userAsCaller(context, tx, userId);
  if (owner) check({ context, caller: owner }, services, wanted);
}

/** An administrator may send another user's deliveries to a new address only if the administrator may read all the rows. */
function requireEveryRow({ caller, now }: Call, services: WebhookServices, { resources }: Wanted): void {
  const readable = new Set(fullyReadableResources(services.resources(), caller, now));
  const hidden = resources?.find((name) => !readable.has(name));
  if (hidden !== undefined)
    throw forbidden(`You may not read every row of ${hidden}. Only the owner can change this webhook.`);
}

const keepBody = Type.Unsafe<{ keep_old_hours?: number } | null>({
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    keep_old_hours: {
      type: 'integer',
      title: 'Keep the old secret for (hours)',
      minimum: 0,
      maximum: 720,
      description: 'The number of hours for which Gatehouse also signs with the old secret. Default: 24',
    },
  },
});
const again = Type.Unsafe<{ deliveries?: string[]; from?: string; to?: string }>({
  type: 'object',
  additionalProperties: false,
  properties: {
    deliveries: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: { type: 'string' },
      description: 'The ids of deliveries. Leave it out to choose them by time.',
    },
    from: { type: 'string', format: 'date-time', description: 'All deliveries from this time on' },
    to: { type: 'string', format: 'date-time', description: 'Deliveries until this time. Default: now' },
  },
});

const revealedFields = {
  secret: Type.String({ description: 'The key that verifies deliveries. Shown only in this response' }),
};

/** Webhooks receive changes. The owner's rights decide which changes they receive. */
export const webhooksResource = (services: WebhookServices) =>
  defineResource({
    name: 'webhooks',
    description: 'URLs that receive changes as requests with Standard Webhooks signatures.',
    managed: false,
    // A webhook would continue after the consent for the application ended.
    mcp: false,
    fields: {
      user_id: reference('users', {
        readOnly: true,
        searchable: true,
        default: ({ caller }) => caller.userId,
        onDelete: 'cascade',
      }),
      url: text({ label: 'URL', required: true, max: 2000, searchable: true, example: 'https://example.com/hooks' }),
      resources: list({ required: true, searchable: true, description: 'Resources with `changes`' }),
      operations: list({ values: [...operations], default: [...operations] }),
      search: text({ max: 2000, description: 'A search, as in lists' }),
      active: boolean({ default: true, searchable: true }),
      disabled_reason: text({ readOnly: true, description: 'The reason why the service disabled the webhook' }),
      signature: oneOf(['hmac', 'ed25519'], { default: 'hmac', immutable: true }),
      previous_until: timestamp({
        label: 'Old secret valid until',
        readOnly: true,
        description: 'The time until which Gatehouse also signs with the old secret',
      }),
      sealed_secret: text({ hidden: true, max: 4000 }),
      sealed_previous: text({ hidden: true, max: 4000 }),
      position: integer({ hidden: true }),
      created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
      updated_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
    },
    relations: {
      user: belongsTo('users', { by: 'user_id' }),
      deliveries: hasMany('webhook-deliveries', { by: 'webhook_id' }),
    },
    // Clients cannot have webhooks, because a webhook would continue after the client is deleted.
    access: { read: anyOf(role('admin'), ownRows), write: anyOf(role('admin'), ownRows) },
    events: true,
    reveals: Type.Object(revealedFields),
    hooks: {
      prepare(call, { values }) {
        check(call, services, values);
        return undefined;
      },
      async beforeWrite(call, { operation, values, before }) {
        if (operation === 'delete') return;
        forbidApplications(call.caller);
        // A caller who changes the address must be allowed to read everything that the webhook delivers.
        const after = { ...before, ...values };
        if (before && after.active) check(call, services, after);
        if (after.active) await checkOwner(call, services, before?.user_id ?? call.caller.userId, after);
        if (after.active || after.url !== before?.url) {
          if (before && before.user_id !== call.caller.userId) requireEveryRow(call, services, after);
          // A webhook continues to deliver after the session has ended.
          requireProof(call.caller, call.now);
        }
        // An empty list means all operations.
        if (values.operations !== undefined && !values.operations?.length) values.operations = [...operations];
        if (operation === 'create') {
          if ((await countWebhooks(call.tx, call.caller.userId)) >= maxPerUser)
            throw conflict(`You have ${maxPerUser} webhooks. Delete one before you create another one.`);
          const secret = newSecret(values.signature ?? 'hmac');
          // The row has no id yet, so the label of the encrypted secret names the owner.
          values.sealed_secret = services.keys.seal(secret, webhookLabel(call.caller.userId ?? ''));
          values.position = await newestPosition(call.context.database, call.tx);
          call.reveal({ secret: verifyingKey(secret) });
        } else if (before && values.active === true && !before.active) {
          values.disabled_reason = null;
          await restartDeliveries(call.tx, before.id, call.now);
        }
      },
      afterCommit: () => services.wake(),
    },
    actions: [
      {
        name: 'pings',
        summary: 'Send a ping',
        response: Type.Object({ id: Type.String(), webhook_id: Type.String(), state: Type.String() }),
        status: 202,
        async run({ row, transaction }) {
          if (!row.active) throw conflict('The webhook is not active.');
          const created = await transaction(async (call) => {
            const delivery = createPing(row.id, call.now);
            await insertDeliveries(call.tx, [delivery]);
            return delivery;
          });
          services.wake();
          return { id: created.id, webhook_id: row.id, state: created.state };
        },
      },
      {
        name: 'secrets',
        summary: 'Replace the secret',
        status: 201,
        body: keepBody,
        response: Type.Object({ id: Type.String(), ...revealedFields }),
        run: ({ row, body, transaction }) =>
          transaction(async (call) => {
            forbidApplications(call.caller);
            requireProof(call.caller, call.now);
            const secret = newSecret(row.signature);
            const keep = (body?.keep_old_hours ?? defaultKeepHours) * hour;
            await replaceSecret(call.tx, row.id, {
              sealed_secret: services.keys.seal(secret, webhookLabel(row.user_id ?? '')),
              sealed_previous: keep > 0 ? (row.sealed_secret ?? null) : null,
              previous_until: keep > 0 ? call.now + keep : null,
            });
            return { id: row.id, secret: verifyingKey(secret) };
          }),
      },
      {
        name: 'redeliveries',
        summary: 'Send deliveries again',
        status: 202,
        body: again,
        response: Type.Object({ deliveries: Type.Integer({ description: 'The number of deliveries' }) }),
        async run({ row, body, transaction }) {
          const { deliveries, from, to } = body;
          if (!deliveries && !from)
            throw unprocessable([{ field: 'deliveries', code: 'required', message: 'Send "deliveries" or "from".' }]);
          const count = await transaction((call) =>
            requeueDeliveries(call.tx, row.id, {
              ids: deliveries,
              from: from ? Date.parse(from) : 0,
              to: to ? Date.parse(to) : call.now,
              now: call.now,
            }),
          );
          services.wake();
          return { deliveries: count };
        },
      },
    ],
  });
