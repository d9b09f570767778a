import { hostname } from 'node:os';
import type { EventLine } from './events-log.ts';

/** RFC 5424 6.2.1: security and authorization messages. */
const facility = 10;
const warning = 4;
const notice = 5;
/** What somebody should look at. */
const alarming = /\.(failed|throttled|reused|retried|authentication_failed|disabled|change_undone)$|^keys\./;

const printable = (text: string, longest: number): string => text.replace(/[^\x21-\x7e]/g, '').slice(0, longest) || '-';

/** RFC 5424: the event's type is the MSGID, its JSON the message. */
export function syslogMessage({ type, createdAt, text }: EventLine): Buffer {
  const priority = facility * 8 + (alarming.test(type) ? warning : notice);
  const time = new Date(createdAt).toISOString();
  const head = `<${priority}>1 ${time} ${printable(hostname(), 255)} gatehouse ${process.pid} ${printable(type, 32)} -`;
  return Buffer.from(`${head} ${text}`);
}
