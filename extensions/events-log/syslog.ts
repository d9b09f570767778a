import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import type { EventRow } from '../../src/resources/audit/event-store.ts';
import type { LineSink } from './event-file.ts';
import { eventLine } from './event-line.ts';

/** RFC 5424 6.2.1: security and authorization messages. */
const facility = 10;
const warning = 4;
const notice = 5;
/** Types of events that an administrator should look at. */
const alarmingTypes = /\.(failed|throttled|reused|retried|authentication_failed|disabled|change_undone)$|^keys\./;

const printable = (text: string, maxLength: number) => text.replace(/[^\x21-\x7e]/g, '').slice(0, maxLength) || '-';

/** RFC 5424: the event's type is the MSGID, its JSON the message. */
function syslogMessage(event: EventRow): Buffer {
  const { type } = event;
  const priority = facility * 8 + (alarmingTypes.test(type) ? warning : notice);
  const time = new Date(event.created_at).toISOString();
  const header = `<${priority}>1 ${time} ${printable(hostname(), 255)} gatehouse ${process.pid} ${printable(type, 32)} -`;
  return Buffer.from(`${header} ${eventLine(event)}`);
}

interface Target {
  readonly host: string;
  readonly port: number;
}

const timeoutMs = 5000;

/** RFC 5426: one datagram per message, without an acknowledgement. */
export const createUdpSyslog = ({ host, port }: Target): LineSink => ({
  async write(events) {
    const { address, family } = await lookup(host);
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    // A socket that cannot be opened emits an error and never calls back.
    const socketFailure = new Promise<never>((_resolve, reject) => socket.on('error', reject));
    socketFailure.catch(() => undefined);
    const send = promisify<Buffer, number, string>(socket.send.bind(socket));
    try {
      for (const event of events) await Promise.race([send(syslogMessage(event), port, address), socketFailure]);
    } finally {
      socket.close();
    }
  },
  async check() {
    await lookup(host);
  },
  async close() {},
});

/** RFC 6587 3.4.1 (TCP) and RFC 5425 (TLS): the length and then the message, over one connection. */
export function createStreamSyslog({ host, port }: Target, secure: boolean): LineSink {
  let openSocket: Socket | undefined;

  async function connectedSocket(): Promise<Socket> {
    if (openSocket && !openSocket.destroyed) return openSocket;
    const socket = secure ? connectTls({ host, port, servername: host }) : connect({ host, port });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('the syslog server does not respond')));
    await once(socket, secure ? 'secureConnect' : 'connect');
    socket.setTimeout(0);
    socket.setKeepAlive(true);
    // The next write detects that the connection is closed.
    socket.on('error', () => undefined);
    // The end of the connection is only detected while reading.
    socket.resume().unref();
    openSocket = socket;
    return socket;
  }

  return {
    async write(events) {
      const socket = await connectedSocket();
      const messages = events.map((event) => {
        const message = syslogMessage(event);
        return Buffer.concat([Buffer.from(`${message.length} `), message]);
      });
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => socket.destroy(new Error('the syslog server does not accept the message')),
          timeoutMs,
        );
        const onClose = () => reject(new Error('the connection to the syslog server was lost'));
        socket.once('close', onClose);
        socket.write(Buffer.concat(messages), (error) => {
          clearTimeout(timer);
          socket.removeListener('close', onClose);
          if (error) reject(error);
          else resolve();
        });
      });
    },
    async check() {
      await connectedSocket();
    },
    async close() {
      const socket = openSocket;
      openSocket = undefined;
      if (socket) await new Promise<void>((resolve) => socket.end(resolve));
    },
  };
}
