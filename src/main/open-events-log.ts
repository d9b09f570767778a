import type { Config } from '../config/config.ts';
import type { Context, EventSink } from '../database/context.ts';
import type { Finding } from './finding.ts';

type EventsLog = EventSink & { close(): Promise<void> };

/** Loads the extension if EVENTS_LOG is set. */
export async function openEventsLog(
  context: Pick<Context, 'config' | 'database' | 'log'>,
): Promise<EventsLog | undefined> {
  if (context.config.eventsLog === '') return undefined;
  return (await import('../../extensions/events-log/events-log.ts')).createEventsLog(context);
}

/** The findings of `gatehouse doctor` about EVENTS_LOG. */
export async function checkEventsLog(config: Config): Promise<Finding[]> {
  if (config.eventsLog === '') return [];
  const extension = await import('../../extensions/events-log/events-log.ts');
  return [await extension.checkEventsLog(config)];
}
