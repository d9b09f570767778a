import type { Context } from '../../../src/database/context.ts';
import type { Tx } from '../../../src/database/database.ts';
import type { KeyRing } from '../../../src/database/keys/key-ring.ts';
import { webhookLabel } from '../../../src/database/keys/sealed-columns.ts';
import { createGuardedFetch, type GuardedFetch } from '../../../src/http/outbound/guarded-fetch.ts';
import { systemSource } from '../../../src/http/request-source.ts';
import { notifyOwner } from '../../../src/identity/account-mails/request-mail.ts';
import type { Mail } from '../../../src/identity/mail/mail.ts';
import { reasonOf } from '../../../src/platform/errors.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import { disableWebhooks } from '../../../src/resources/disable-webhooks-store.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { Poller } from '../../../src/resources/queue/poller.ts';
import type { ChangeLog } from '../log/change-log.ts';
import { changeAt, type LogRow } from '../log/change-store.ts';
import { loggedChanges } from '../view/logged-change.ts';
import { type Subscription, type VisibleChange, visibleChanges } from '../view/subscription.ts';
import { createDelivery, deliveryBody } from './delivery-rows.ts';
import { fullyReadableResources } from './fully-readable.ts';
import { userAsCaller } from './user-as-caller.ts';
import { webhookHeaders } from './webhook-signature.ts';
import {
  activeWebhooks,
  advanceWebhook,
  type DeliveryRow,
  insertDeliveries,
  leaseDeliveries,
  lockWebhook,
  updateDelivery,
  type WebhookRow,
} from './webhook-store.ts';
import { InvalidWebhook, webhookSubscription } from './webhook-subscription.ts';

const pollIntervalMs = 1000;
const batchSize = 200;
const concurrencyPerWebhook = 8;
const timeoutMs = 10_000;
const leaseMs = 30_000;
const maxRetryMs = 3 * 86_400_000;
const firstPauseMs = 5000;
const maxPauseMs = 8 * 3_600_000;
const maxStoredLength = 1000;
const hiddenBody = 'null';
const notVisible = 'the owner may no longer see this';
const changeRemoved =
  'the change is no longer stored (CHANGES_RETENTION), so Gatehouse cannot check whether the owner may still see it';

/** Each pause is three times as long as the one before, up to eight hours, with jitter. */
const pauseAfter = (attempts: number): number =>
  Math.round(Math.min(firstPauseMs * 3 ** (attempts - 1), maxPauseMs) * (0.8 + 0.2 * Math.random()));

interface SenderServices {
  readonly keys: KeyRing;
  readonly resources: Resources;
  readonly log: ChangeLog;
  readonly mail: Mail;
}

/**
 * Delivers changes to webhooks. Each webhook has its own position in the log and up to eight concurrent deliveries. So a slow receiver
 * delays no other webhook.
 */
export class WebhookSender {
  readonly #context: Context;
  readonly #services: SenderServices;
  readonly #fetch: GuardedFetch;
  readonly #sending = new Set<Promise<void>>();
  readonly #poller: Poller;
  #idle = false;

  constructor(context: Context, services: SenderServices) {
    this.#context = context;
    this.#services = services;
    this.#fetch = createGuardedFetch(context.config);
    this.#poller = new Poller(context.log, {
      poll: () => this.#poll(),
      isNeeded: () => true,
      intervalMs: pollIntervalMs,
      failureMessage: 'webhooks could not be read; Gatehouse tries again',
    });
  }

  wake(): void {
    void this.#poller.wake();
  }

  /** Call it when a change was recorded. If there are no webhooks, it does not query the database. */
  wakeForChange(): void {
    if (!this.#idle) this.wake();
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
    await Promise.allSettled(this.#sending);
  }

  async #poll(): Promise<void> {
    const webhooks = await activeWebhooks(this.#context.database.db);
    this.#idle = webhooks.length === 0;
    if (this.#idle) return;
    const settled = await this.#services.log.observe();
    for (const webhook of webhooks) await this.#serve(webhook, settled);
  }

  /** A webhook that fails, for example because of its search, does not delay others. */
  async #serve(webhook: WebhookRow, settled: number): Promise<void> {
    try {
      if (webhook.position < settled) await this.#makeDeliveries(webhook, settled);
      await this.#send(webhook);
    } catch (error) {
      if (this.#poller.isStopped) return;
      await this.#handleFailure(webhook, error).catch((failure) =>
        this.#context.log.warn(
          { err: failure, webhook: webhook.id },
          'a webhook could not be called; Gatehouse tries again',
        ),
      );
    }
  }

  /** If another instance has advanced the position or somebody has changed the webhook meanwhile, this poll does nothing. */
  async #makeDeliveries(webhook: WebhookRow, settled: number): Promise<void> {
    const { database, now } = this.#context;
    const { log } = this.#services;
    const { id, position, version } = webhook;
    const { number: oldest } = await log.beginning();
    const subscription = await this.#subscriptionOf(webhook);
    const names = [...(subscription?.resources.keys() ?? [])];
    const page = await log.page({ number: Math.max(position, oldest) }, names, batchSize);
    const visible = subscription ? await this.#show(subscription, page.rows) : [];
    const operations = parseJson(webhook.operations);
    const rows = visible.flatMap((each) =>
      operations.includes(each.change.row.operation) ? [createDelivery(webhook, each, now())] : [],
    );
    await database.db.transaction().execute(async (tx) => {
      const current = await lockWebhook(tx, id);
      if (current?.position !== position || current.version !== version) return;
      await insertDeliveries(tx, rows);
      await advanceWebhook(tx, id, page.to);
    });
    if (page.to < settled) this.wake();
  }

  /** Uses the current rights of the owner. Undefined if the owner is disabled or deleted. */
  async #subscriptionOf({ user_id, resources, search }: WebhookRow): Promise<Subscription | undefined> {
    const caller = await userAsCaller(this.#context, this.#context.database.db, user_id);
    if (!caller) return undefined;
    const wanted = { resources: parseJson(resources), search: search ?? undefined };
    return webhookSubscription(this.#context, this.#services.resources, caller, wanted);
  }

  async #show(subscription: Subscription, rows: readonly LogRow[]): Promise<VisibleChange[]> {
    const { log, resources } = this.#services;
    return visibleChanges(this.#context, subscription, loggedChanges(resources, rows), await log.history());
  }

  async #send({ id: webhookId }: WebhookRow): Promise<void> {
    const { database, now } = this.#context;
    const request = { webhookId, now: now(), until: now() + leaseMs, max: concurrencyPerWebhook };
    for (const { webhook, delivery } of await leaseDeliveries(database.db, request)) {
      const sending = this.#deliver(webhook, delivery)
        .catch((error) => this.#handleFailure(webhook, error))
        .catch((error) =>
          this.#context.log.warn({ err: error, delivery: delivery.id }, 'a delivery could not be recorded'),
        )
        .finally(() => {
          this.#sending.delete(sending);
          this.wake();
        });
      this.#sending.add(sending);
    }
  }

  /** Checks the owner's rights again. Returns the body, or the reason why the owner may not get it. */
  async #bodyOf(webhook: WebhookRow, delivery: DeliveryRow): Promise<{ body: string } | { refusal: string }> {
    const { database, now } = this.#context;
    const subscription = await this.#subscriptionOf(webhook);
    if (!subscription) return { refusal: notVisible };
    const { position, resource, body } = delivery;
    if (position === 0) return { body };
    const row = await changeAt(database.db, position);
    if (row) {
      const [visibleChange] = await this.#show(subscription, [row]);
      return visibleChange ? { body: deliveryBody(visibleChange) } : { refusal: notVisible };
    }
    // Without the change, the rights to its row cannot be checked.
    const { caller, resources } = subscription;
    const mayReadEveryRow =
      resources.has(resource) && fullyReadableResources(this.#services.resources, caller, now()).includes(resource);
    return mayReadEveryRow && body !== hiddenBody ? { body } : { refusal: changeRemoved };
  }

  async #deliver(webhook: WebhookRow, delivery: DeliveryRow): Promise<void> {
    const { database, now } = this.#context;
    const checked = await this.#bodyOf(webhook, delivery);
    if ('refusal' in checked) {
      const outcome = { state: 'failed', error: checked.refusal, body: hiddenBody } as const;
      return updateDelivery(database.db, delivery.id, outcome);
    }
    const { body } = checked;
    const began = performance.now();
    const outcome = await this.#post(webhook, delivery.id, body);
    const changedBody = body === delivery.body ? {} : { body };
    const attemptResult = { ...outcome, ...changedBody, duration_ms: Math.round(performance.now() - began) };
    const status = outcome.response_status;
    if (status !== null && status >= 200 && status < 300) {
      return updateDelivery(database.db, delivery.id, { ...attemptResult, state: 'delivered', delivered_at: now() });
    }
    const pauseMs = pauseAfter(delivery.attempts);
    const isLast = status === 410 || now() + pauseMs - delivery.created_at > maxRetryMs;
    if (!isLast)
      return updateDelivery(database.db, delivery.id, { ...attemptResult, next_attempt_at: now() + pauseMs });
    await database.db.transaction().execute(async (tx) => {
      await updateDelivery(tx, delivery.id, { ...attemptResult, state: 'failed' });
      const reason = status === 410 ? 'the receiver returned 410' : 'deliveries failed for three days';
      await this.#disable(tx, webhook, reason);
    });
  }

  /** Throws if the current secret cannot be decrypted. A previous secret that cannot be decrypted is left out. */
  #secretsOf({ id, user_id, sealed_secret, sealed_previous, previous_until }: WebhookRow, at: number): string[] {
    const unseal = (sealed: string) => {
      try {
        return this.#services.keys.unseal(sealed, webhookLabel(user_id));
      } catch (error) {
        this.#context.log.error({ err: error, webhook: id }, 'the secret of a webhook cannot be decrypted');
        return undefined;
      }
    };
    const secret = unseal(sealed_secret);
    if (secret === undefined) throw new Error('the service cannot decrypt the secret of this webhook: replace it');
    const previous = sealed_previous !== null && (previous_until ?? 0) > at ? unseal(sealed_previous) : undefined;
    return previous === undefined ? [secret] : [secret, previous];
  }

  /** Disables an invalid webhook, unless it was changed meanwhile. Its position stays, so no change is lost. Rethrows other errors. */
  async #handleFailure(webhook: WebhookRow, error: unknown): Promise<void> {
    if (!(error instanceof InvalidWebhook)) throw error;
    await this.#context.database.db.transaction().execute(async (tx) => {
      const current = await lockWebhook(tx, webhook.id);
      if (current?.version === webhook.version) await this.#disable(tx, webhook, error.message);
    });
  }

  async #disable(tx: Tx, { id, user_id: userId }: WebhookRow, reason: string): Promise<void> {
    const disabled = await disableWebhooks(this.#context, tx, { id }, reason);
    const notice = { userId, template: 'webhook-disabled', source: systemSource } as const;
    if (disabled > 0) await notifyOwner({ context: this.#context, mail: this.#services.mail }, tx, notice);
  }

  async #post(webhook: WebhookRow, id: string, body: string) {
    const at = this.#context.now();
    try {
      const headers = webhookHeaders(this.#secretsOf(webhook, at), id, at, body);
      const response = await this.#fetch(webhook.url, { method: 'POST', headers, body, timeoutMs, truncate: true });
      const text = response.body.toString('utf8').replaceAll('\0', '').slice(0, maxStoredLength);
      const error = response.status < 300 ? null : `the receiver returned ${response.status}`;
      return { response_status: response.status, response_body: text, error };
    } catch (error) {
      return { response_status: null, response_body: null, error: reasonOf(error).slice(0, 500) };
    }
  }
}
