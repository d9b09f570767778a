import type { Context } from '../../database/context.ts';
import type { App } from '../../http/app.ts';
import type { Resources } from '../model/resource.ts';
import { ChangeLog } from './log/change-log.ts';
import { createListPositions } from './log/list-positions.ts';
import { type ChangesServices, serveChanges } from './stream/changes-routes.ts';
import { Streams } from './stream/streams.ts';

type Given = Pick<ChangesServices, 'keys' | 'verifier' | 'cookieToken'>;

/** The log of changes, and those who follow it. */
export class Changes {
  readonly log: ChangeLog;
  readonly positions: ReturnType<typeof createListPositions>;
  readonly #context: Context;
  #streams: Streams | undefined;

  constructor(context: Context) {
    this.#context = context;
    this.log = new ChangeLog(context);
    this.positions = createListPositions(context, this.log);
  }

  /** Something was recorded by this process. */
  readonly wake = (): void => this.#streams?.wake();

  serve(app: App, resources: Resources, given: Given): void {
    const context = this.#context;
    const { log } = this;
    const streams = new Streams(context, log, resources);
    this.#streams = streams;
    context.metrics.observeChanges({ streams: () => streams.size, lag: () => log.lag });
    serveChanges(app, { ...given, context, resources, log, streams });
  }
}
