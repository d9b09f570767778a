import type { ChildProcess } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../../src/config/config.ts';
import { reservePort } from '../../src/config/reserve-port.ts';
import type { RunningService } from '../../src/main/start.ts';
import { OperatorError, reasonOf } from '../../src/platform/errors.ts';
import { Heartbeats } from './heartbeats.ts';
import { type PrimaryMessage, SharedTotals, type WorkerMessage } from './messages.ts';
import { SummedMetrics } from './summed-metrics.ts';

type Ready = Extract<WorkerMessage, { is: 'ready' }>;

/** A worker that keeps dying is restarted with growing delays. */
const firstPauseMs = 100;
const maxPauseMs = 10_000;
/** A worker that has served this long did not fail to start. */
const steadyMs = 10_000;
/** If a worker hangs, a sum uses its last values. */
const metricsTimeoutMs = 1000;

/** Starts the workers and restarts those that end. The primary itself serves no requests. */
export async function startWorkers(settings: Config, log: Logger): Promise<RunningService> {
  const { config, release } = await reservePort(settings);
  await release();
  // The primary accepts connections and passes them to the workers in turn. A worker that hangs gets only one. The
  // kernel would give nearly all connections to one worker. Only the primary listens, so the port is free when the
  // primary ends.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ args: ['serve', '--host', config.host, '--port', String(config.port)] });
  const workers = new Workers(config, log);
  const { url, administrator } = await workers.start();
  return {
    context: { config, log },
    url,
    administrator: Promise.resolve(administrator),
    drain: () => workers.broadcast({ is: 'drain' }),
    stop: () => workers.stop(),
  };
}

class Workers {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #running = new Set<Worker>();
  readonly #ready = new Set<Worker>();
  readonly #figures = new SummedMetrics();
  readonly #totals = new SharedTotals();
  readonly #pending = new Map<number, () => void>();
  readonly #heartbeats = new Heartbeats({
    ping: (worker) => this.#send(worker, { is: 'ping' }),
    onSilent: (count) => this.broadcast({ is: 'silent', count }),
    onHung: (worker) => this.#end(worker),
  });
  #lastRequestId = 0;
  #stopping = false;
  #failures = 0;

  constructor(config: Config, log: Logger) {
    this.#config = config;
    this.#log = log;
    // When the primary process ends, its workers end too.
    process.once('exit', () => this.#kill());
  }

  /** Starts the first worker alone: it creates missing keys and accounts, and reports errors of the configuration. */
  async start(): Promise<Ready> {
    try {
      const first = this.#startOne();
      const firstReady = await first.ready;
      const others = Array.from({ length: this.#config.workers - 1 }, () => this.#startOne());
      await Promise.all(others.map(({ ready }) => ready));
      for (const { worker } of [first, ...others]) this.#keepRunning(worker);
      return firstReady;
    } catch (error) {
      this.#stopping = true;
      this.#kill();
      throw error;
    }
  }

  broadcast(message: PrimaryMessage, except?: Worker): void {
    for (const worker of this.#ready) if (worker !== except) this.#send(worker, message);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#heartbeats.stop();
    const ends = [...this.#running].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of this.#running) this.#send(worker, { is: 'stop' });
    await Promise.all(ends);
  }

  #startOne(): { readonly worker: Worker; readonly ready: Promise<Ready> } {
    const worker = cluster.fork();
    closeUnaccepted(worker.process);
    this.#running.add(worker);
    const ready = new Promise<Ready>((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if (message.is === 'ready') {
          this.#ready.add(worker);
          this.#heartbeats.seen(worker);
          this.#log.info({ worker: worker.id, pid: worker.process.pid }, 'a worker serves');
          this.#send(worker, { is: 'counted', counted: this.#totals.all() });
          resolve(message);
        } else if (message.is === 'failed') reject(new OperatorError(message.explanation));
        else this.#onMessage(worker, message);
      });
      worker.once('exit', (code, signal) => {
        this.#running.delete(worker);
        this.#ready.delete(worker);
        this.#heartbeats.forget(worker);
        this.#figures.forget(worker.id);
        reject(new OperatorError(`A worker ended (${signal ?? code}) during its start.`));
      });
    });
    return { worker, ready };
  }

  #keepRunning(worker: Worker): void {
    const since = performance.now();
    const replace = (code: number, signal: string) => {
      if (this.#stopping) return;
      if (performance.now() - since > steadyMs) this.#failures = 0;
      this.#log.error({ worker: worker.id, code, signal }, 'a worker ended; the supervisor starts another one');
      this.#startAgain();
    };
    if (this.#running.has(worker)) worker.once('exit', replace);
    else replace(worker.process.exitCode ?? 0, worker.process.signalCode ?? '');
  }

  #startAgain(): void {
    const pause = this.#failures === 0 ? 0 : Math.min(firstPauseMs * 2 ** (this.#failures - 1), maxPauseMs);
    this.#failures++;
    setTimeout(async () => {
      if (this.#stopping) return;
      const { worker, ready } = this.#startOne();
      try {
        await ready;
        this.#keepRunning(worker);
      } catch (error) {
        if (this.#stopping) return;
        this.#log.error({ worker: worker.id, reason: reasonOf(error) }, 'a worker could not start');
        this.#startAgain();
      }
    }, pause);
  }

  #onMessage(worker: Worker, message: WorkerMessage): void {
    if (message.is === 'alive') this.#heartbeats.seen(worker);
    else if (message.is === 'figures') {
      this.#figures.note(worker.id, message.figures);
      this.#pending.get(message.requestId)?.();
    } else if (message.is === 'counted') {
      const totals = this.#totals.add(message.counted);
      this.broadcast({ is: 'counted', counted: message.counted }, worker);
      if (message.requestId !== undefined)
        this.#send(worker, { is: 'response', requestId: message.requestId, text: JSON.stringify(totals) });
    } else if (message.is === 'sum') void this.#sendSummedMetrics(worker, message.requestId);
  }

  async #sendSummedMetrics(requester: Worker, requestId: number): Promise<void> {
    await Promise.all([...this.#ready].map((worker) => this.#requestMetrics(worker)));
    this.#send(requester, { is: 'response', requestId, text: await this.#figures.text() });
  }

  #requestMetrics(worker: Worker): Promise<void> {
    const requestId = ++this.#lastRequestId;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#pending.delete(requestId);
        worker.off('exit', end);
        resolve();
      };
      const timer = setTimeout(end, metricsTimeoutMs);
      worker.once('exit', end);
      this.#pending.set(requestId, end);
      this.#send(worker, { is: 'show', requestId });
    });
  }

  /** Its running requests are lost, as when a worker crashes. Its exit starts another worker. */
  #end(worker: Worker): void {
    this.#log.error(
      { worker: worker.id, pid: worker.process.pid },
      'a worker does not respond; the supervisor ends it',
    );
    worker.process.kill('SIGKILL');
  }

  #send(worker: Worker, message: PrimaryMessage): void {
    // The exit event reports a worker that has just died.
    if (worker.isConnected()) worker.send(message, () => undefined);
  }

  #kill(): void {
    for (const { process: child } of this.#running) child.kill('SIGKILL');
  }
}

/** The members of the cluster's own messages about connections. */
type Message = { readonly act?: string; readonly seq?: number; readonly ack?: number };

/**
 * When a worker dies, closes the connections that it has not accepted. Node keeps them open in the primary, where
 * nobody reads them, so their clients would wait until they give up.
 */
function closeUnaccepted(child: ChildProcess): void {
  const offered = new Map<unknown, { close(): void } | undefined>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (...args: [message: Message, handle?: unknown, ...unknown[]]) => {
    const [message, handle] = args;
    if (message.act === 'newconn') offered.set(message.seq, handle as { close(): void } | undefined);
    return send(...args);
  };
  child.on('internalMessage', ({ ack }: Message) => offered.delete(ack));
  child.once('exit', () => {
    for (const handle of offered.values()) handle?.close();
  });
}
