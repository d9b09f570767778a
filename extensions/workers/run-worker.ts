import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../../src/config/config.ts';
import { startGatehouse } from '../../src/main/start.ts';
import type { BeginProgress } from '../../src/platform/progress.ts';
import { IpcWorkers } from './ipc-workers.ts';
import type { PrimaryMessage, WorkerMessage } from './messages.ts';

interface Options {
  readonly log: Logger;
  readonly explain: (error: unknown) => string;
  /** Running requests get this long to finish. */
  readonly stopTimeoutMs: number;
  readonly progress: BeginProgress;
}

export async function runWorker(config: Config, { log, explain, stopTimeoutMs, progress }: Options): Promise<void> {
  // A terminal or a service manager sends signals to all processes at once. The primary decides the order in which they end.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  const otherWorkers = new IpcWorkers((message) => void send(message), config.workers);
  let stop = async (): Promise<void> => undefined;
  let drain = (): void => undefined;
  const end = async () => {
    setTimeout(() => process.exit(0), stopTimeoutMs).unref();
    await stop();
    process.exit(0);
  };
  process.on('message', (message: PrimaryMessage) => {
    if (message.is === 'stop') void end();
    else if (message.is === 'drain') drain();
    else if (message.is === 'ping') void send({ is: 'alive' });
    else otherWorkers.onMessage(message);
  });
  // Without a primary there are no new connections. This flag keeps Node from exiting at once, so that running requests
  // can finish.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', () => void end());
  try {
    const service = await startGatehouse(config, { log, otherWorkers, progress });
    ({ stop, drain } = service);
    await send({ is: 'ready', url: service.url, administrator: await service.administrator });
  } catch (error) {
    await send({ is: 'failed', explanation: explain(error) });
    process.exit(1);
  }
}

/** Resolves when the message has been sent, or if the primary has ended. */
function send(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected) resolve();
    else process.send?.(message, undefined, undefined, () => resolve());
  });
}
