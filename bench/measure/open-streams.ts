import { connect, type Socket } from 'node:net';

/** Streams of Server-Sent Events that are open, and the events that they have received, all together. */
export interface OpenStreams {
  /** Resolves when this many events have arrived. */
  received(count: number): Promise<void>;
  close(): void;
}

const atOnce = 100;
const event = /^data: /gm;

/** Over bare sockets: an HTTP client would use more memory than the service. */
export async function openStreams(
  url: string,
  headers: Readonly<Record<string, string>> | undefined,
  count: number,
): Promise<OpenStreams> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const lines = Object.entries({ ...headers, accept: 'text/event-stream', host }).map((pair) => pair.join(': '));
  const request = `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  const sockets: Socket[] = [];
  let received = 0;
  let heard = () => {};
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(request));
      let rest = '';
      sockets.push(socket);
      socket.setEncoding('utf8');
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('a stream was closed')));
      socket.on('data', (chunk: string) => {
        const text = rest + chunk;
        const end = text.lastIndexOf('\n') + 1;
        rest = text.slice(end);
        const whole = text.slice(0, end);
        if (whole.startsWith('HTTP/1.1 ') && !whole.startsWith('HTTP/1.1 200')) reject(new Error(whole));
        if (whole.includes(': connected')) resolve();
        const events = whole.match(event)?.length ?? 0;
        if (events === 0) return;
        received += events;
        heard();
      });
    });
  while (sockets.length < count)
    await Promise.all(Array.from({ length: Math.min(atOnce, count - sockets.length) }, open));
  return {
    async received(wanted) {
      while (received < wanted) {
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
    close() {
      for (const socket of sockets)
        socket
          .removeAllListeners('close')
          .on('error', () => {})
          .destroy();
    },
  };
}
