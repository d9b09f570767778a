import { LogController } from 'fastify';
import type { Logger } from 'pino';

/** Takes over the little that only Fastify can know: answers that broke off after their headers were sent. */
export class FrameworkLog extends LogController {
  readonly #log: Logger;

  constructor(log: Logger) {
    super({ disableRequestLogging: true });
    this.#log = log;
  }

  override streamError(error: Error, request: { id: string }): void {
    this.#log.info({ requestId: request.id, err: error }, 'the answer broke off');
  }

  override writeHeadError(error: Error, request: { id: string }): void {
    this.#log.error({ requestId: request.id, err: error }, 'the answer could not be sent');
  }

  override serializerError(error: Error, request: { id: string }): void {
    this.#log.error({ requestId: request.id, err: error }, 'the answer does not fit its schema');
  }
}
