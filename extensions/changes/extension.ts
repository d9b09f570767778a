import type { CreateExtension } from '../../src/main/extension.ts';
import { compileResources, type Resources } from '../../src/resources/model/resource.ts';
import { ChangeLog } from './log/change-log.ts';
import { createListPositions } from './log/list-positions.ts';
import { pruneOldChanges } from './prune-changes.ts';
import { sessionChanges } from './session-changes.ts';
import { serveChanges } from './stream/changes-routes.ts';
import { Streams } from './stream/streams.ts';
import { recordedChanges } from './view/recorded-changes.ts';
import { deliveriesResource } from './webhooks/deliveries-resource.ts';
import { WebhookSender } from './webhooks/webhook-sender.ts';
import { webhooksResource } from './webhooks/webhooks-resource.ts';

/** The change feed (`/v1/changes`) and webhooks. */
export const createExtension: CreateExtension = (context, { keys, verifier, accounts: { mail } }) => {
  const { database, metrics } = context;
  const log = new ChangeLog(context);
  let resources: Resources = new Map();
  let streams: Streams | undefined;
  let sender: WebhookSender | undefined;
  return {
    resources: [
      webhooksResource({ keys, resources: () => resources, wake: () => sender?.wake() }),
      deliveriesResource(() => resources),
      sessionChanges,
    ],
    changeFeed: {
      positions: createListPositions(context, log),
      wake() {
        streams?.wake();
        sender?.wakeForChange();
      },
      recorded: (served, name) => recordedChanges(database.db, served, name),
    },
    serve(app, served) {
      resources = new Map([...served, ...compileResources([sessionChanges])]);
      const opened = new Streams(context, log, resources);
      const sending = new WebhookSender(context, { keys, mail, resources, log });
      streams = opened;
      sender = sending;
      metrics.gauge('gatehouse_change_streams', 'Open streams of changes', {
        aggregator: 'sum',
        collect() {
          this.set(opened.size);
        },
      });
      metrics.gauge(
        'gatehouse_changes_lag_seconds',
        'Seconds for which the oldest change has been waiting for an open transaction',
        {
          aggregator: 'max',
          collect() {
            this.set(log.lag);
          },
        },
      );
      serveChanges(app, { context, keys, verifier, resources, log, streams: opened });
      app.addHook('onReady', async () => sending.wake());
      app.addHook('preClose', () => sending.stop());
    },
    maintenance: [{ name: 'old changes', everyMs: 60_000, run: () => pruneOldChanges(context) }],
  };
};
