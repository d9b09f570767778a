import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import type { App } from '../../http/app.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import type { Resources } from '../model/resource.ts';
import { ChangeLog } from './log/change-log.ts';
import { createListPositions } from './log/list-positions.ts';
import { type ChangesServices, serveChanges } from './stream/changes-routes.ts';
import { Streams } from './stream/streams.ts';
import { deliveriesResource } from './webhooks/deliveries-resource.ts';
import { type SenderServices, WebhookSender } from './webhooks/webhook-sender.ts';
import { webhooksResource } from './webhooks/webhooks-resource.ts';

type ChangesOptions = Pick<ChangesServices, 'keys' | 'verifier' | 'cookieToken'> &
  Pick<SenderServices, 'ownerOf' | 'notify'>;

export class Changes {
  readonly log: ChangeLog;
  readonly positions: ReturnType<typeof createListPositions>;
  readonly resources: readonly ResourceDefinition[];
  readonly #context: Context;
  #served: Resources = new Map();
  #streams: Streams | undefined;
  #sender: WebhookSender | undefined;

  constructor(context: Context, keys: KeyRing) {
    this.#context = context;
    this.log = new ChangeLog(context);
    this.positions = createListPositions(context, this.log);
    const services = { keys, resources: () => this.#served, wake: () => this.#sender?.wake() };
    this.resources = [webhooksResource(services), deliveriesResource(services.resources)];
  }

  /** Call it after this process has recorded a change. */
  readonly wake = (): void => {
    this.#streams?.wake();
    this.#sender?.wakeForChange();
  };

  serve(app: App, resources: Resources, options: ChangesOptions): void {
    const context = this.#context;
    const { log } = this;
    const streams = new Streams(context, log, resources);
    const sender = new WebhookSender(context, { ...options, resources, log });
    this.#served = resources;
    this.#streams = streams;
    this.#sender = sender;
    context.metrics.observeChanges({ streams: () => streams.size, lag: () => log.lag });
    serveChanges(app, { ...options, context, resources, log, streams });
    app.addHook('onReady', async () => sender.wake());
    app.addHook('preClose', () => sender.stop());
  }
}
