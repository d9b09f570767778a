import type { Context, EventSink } from '../database/context.ts';

type EventsLog = EventSink & { close(): Promise<void> };

/** Loads the extension if EVENTS_LOG is set. */
export async function openEventsLog(
  context: Pick<Context, 'config' | 'database' | 'log'>,
): Promise<EventsLog | undefined> {
  if (context.config.eventsLog === '') return undefined;
  return (await import('../../extensions/events-log/events-log.ts')).createEventsLog(context);
}
