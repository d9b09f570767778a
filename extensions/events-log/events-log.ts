import { resolve } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import type { Context, EventSink } from '../../src/database/context.ts';
import { errorFinding, explain, type Finding, ok } from '../../src/main/finding.ts';
import type { EventRow } from '../../src/resources/audit/event-store.ts';
import { EventFile, type LineSink } from './event-file.ts';
import { committedEvents } from './event-reader-store.ts';
import { createStreamSyslog, createUdpSyslog } from './syslog.ts';

const batchSize = 500;
/** If more events wait, the newest are dropped and a log line reports it. */
const maxWaiting = 100_000;
/** No transaction is open for this long. An event that is still missing by then was rolled back. */
const rolledBackAfterMs = 5 * 60_000;

/** Writes each event of this process as a line after its transaction has committed. Failed lines are kept and retried. */
class EventsLog implements EventSink {
  readonly #context: Pick<Context, 'database' | 'log'>;
  readonly #sink: LineSink;
  #waiting: { readonly row: EventRow; readonly at: number }[] = [];
  #droppedEvents = 0;
  #failing = false;
  #flushing: Promise<void> | undefined;

  constructor(context: Pick<Context, 'database' | 'log'>, sink: LineSink) {
    this.#context = context;
    this.#sink = sink;
  }

  write(row: EventRow): void {
    if (this.#waiting.length < maxWaiting) this.#waiting.push({ row, at: performance.now() });
    else if (this.#droppedEvents++ === 0)
      this.#context.log.error('EVENTS_LOG has been unavailable for too long: events are left out');
  }

  /** Runs one at a time. A concurrent call waits for the running one. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async close(): Promise<void> {
    await this.flush();
    // Events that were added during the other flush.
    await this.flush();
    if (this.#waiting.length > 0) {
      this.#context.log.error(
        { events: this.#waiting.length },
        'some events are in the audit trail but not in EVENTS_LOG',
      );
    }
    await this.#sink.close();
  }

  async #flush(): Promise<void> {
    const { database, log } = this.#context;
    for (let from = 0; from < this.#waiting.length; ) {
      const pending = this.#waiting.slice(from, from + batchSize);
      try {
        const committed = await committedEvents(
          database.db,
          pending.map(({ row }) => row.id),
        );
        const committedEntries = pending.filter(({ row }) => committed.has(row.id));
        if (committedEntries.length > 0) await this.#sink.write(committedEntries.map(({ row }) => row));
        const now = performance.now();
        const uncommitted = pending.filter(({ row, at }) => !committed.has(row.id) && now - at < rolledBackAfterMs);
        this.#waiting.splice(from, pending.length, ...uncommitted);
        from += uncommitted.length;
      } catch (error) {
        if (!this.#failing)
          log.error({ err: error }, 'events could not be written to EVENTS_LOG; Gatehouse tries again');
        this.#failing = true;
        return;
      }
    }
    if (this.#failing) log.info('EVENTS_LOG is available again');
    this.#failing = false;
    if (this.#droppedEvents > 0)
      log.error({ events: this.#droppedEvents }, 'these events are in the audit trail but not in EVENTS_LOG');
    this.#droppedEvents = 0;
  }
}

/** RFC 5426 3.3, RFC 6587 3.2, RFC 5425 4.1. */
const ports = new Map([
  ['syslog', 514],
  ['syslog+tcp', 514],
  ['syslog+tls', 6514],
]);

export function createEventsLog(context: Pick<Context, 'config' | 'database' | 'log'>): EventsLog {
  const { eventsLog, workingDir } = context.config;
  return new EventsLog(context, sinkOf(eventsLog, workingDir));
}

/** Whether the target of EVENTS_LOG is available. */
export async function checkEventsLog({ eventsLog, workingDir }: Config): Promise<Finding> {
  const sink = sinkOf(eventsLog, workingDir);
  try {
    await sink.check();
    return ok('events', `EVENTS_LOG=${eventsLog}`);
  } catch (error) {
    return errorFinding(
      'events',
      'EVENTS_LOG={target} is unavailable: {reason}',
      'Correct EVENTS_LOG, or create the folder and let the service write to it.',
      { target: eventsLog, reason: explain(error) },
    );
  } finally {
    await sink.close();
  }
}

function sinkOf(setting: string, workingDir: string): LineSink {
  if (setting.startsWith('file:')) return new EventFile(resolve(workingDir, setting.slice('file:'.length)));
  const [scheme = '', hostAndPort = ''] = setting.split(/:(?:\/\/)?(.*)/s);
  const [, ipv6Address, hostName, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(hostAndPort) ?? [];
  const target = { host: ipv6Address ?? (hostName || '127.0.0.1'), port: Number(port ?? ports.get(scheme)) };
  return scheme === 'syslog' ? createUdpSyslog(target) : createStreamSyslog(target, scheme === 'syslog+tls');
}
