import { resolve } from 'node:path';
import type { Context } from '../../database/context.ts';
import { EventFile } from './event-file.ts';
import { EventsLog, type LineSink } from './events-log.ts';
import { createStreamSyslog, createUdpSyslog } from './syslog.ts';

/** RFC 5426 3.3, RFC 6587 3.2, RFC 5425 4.1. */
const ports = new Map([
  ['syslog', 514],
  ['syslog+tcp', 514],
  ['syslog+tls', 6514],
]);

export function openEventsLog(context: Pick<Context, 'config' | 'database' | 'log'>): EventsLog | undefined {
  const { eventsLog, workingDir } = context.config;
  return eventsLog === '' ? undefined : new EventsLog(context, sinkOf(eventsLog, workingDir));
}

function sinkOf(setting: string, workingDir: string): LineSink {
  if (setting.startsWith('file:')) return new EventFile(resolve(workingDir, setting.slice('file:'.length)));
  const [scheme = '', hostAndPort = ''] = setting.split(/:(?:\/\/)?(.*)/s);
  const [, ipv6Address, hostName, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(hostAndPort) ?? [];
  const target = { host: ipv6Address ?? (hostName || '127.0.0.1'), port: Number(port ?? ports.get(scheme)) };
  return scheme === 'syslog' ? createUdpSyslog(target) : createStreamSyslog(target, scheme === 'syslog+tls');
}
