import { connect } from 'node:net';

/** One raw response. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  json(): Record<string, unknown>;
}

/**
 * Sends raw bytes, and returns the responses until the server closes the connection or `count` responses have
 * arrived. For requests that `fetch` refuses to send.
 */
export function sendRaw(url: string, bytes: string | Buffer, { count = 1 } = {}): Promise<RawResponse[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const chunks: Buffer[] = [];
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parseResponses(Buffer.concat(chunks)));
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no complete response to ${JSON.stringify(String(bytes).slice(0, 100))}`));
    }, 60_000);
    socket.on('data', (chunk) => {
      chunks.push(Buffer.from(chunk));
      if (parseResponses(Buffer.concat(chunks)).length >= count) finish();
    });
    socket.on('close', finish);
    // The server may respond and close before all bytes have arrived. Its response counts.
    socket.on('error', finish);
    socket.write(bytes);
  });
}

/** The first response. Fails if there is none. */
export async function sendOne(url: string, bytes: string | Buffer): Promise<RawResponse> {
  const [response] = await sendRaw(url, bytes);
  if (!response) throw new Error('the connection was closed without a response');
  return response;
}

/** A request whose headers the server has processed, and whose body is still to be sent. */
export interface HeldRequest {
  /** Sends the body, at once or byte by byte, and returns the response. */
  finish(options?: { byteByByte?: boolean }): Promise<RawResponse>;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Sends the headers of a request and waits until the server asks for its body (RFC 9110 10.1.1). */
export async function holdBack(url: string, { method, path, headers, body }: Sent): Promise<HeldRequest> {
  const { host, hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const all = { host, expect: '100-continue', 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const chunks: Buffer[] = [];
  const until = (done: (received: Buffer) => boolean) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no response to ${method} ${path}`)), 60_000);
      const look = () => {
        if (!done(Buffer.concat(chunks)) && !socket.closed) return;
        clearTimeout(timer);
        socket.off('data', look).off('close', look);
        resolve();
      };
      socket.on('data', look).on('close', look);
      look();
    });
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  socket.on('error', () => undefined);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  await until((received) => received.includes('\r\n\r\n'));
  return {
    async finish({ byteByByte = false } = {}) {
      const pieces = byteByByte ? [...Buffer.from(body)].map((byte) => Buffer.of(byte)) : [Buffer.from(body)];
      for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
      await until((received) => parseResponses(received).length > 0);
      socket.destroy();
      const [response] = parseResponses(Buffer.concat(chunks));
      if (!response) throw new Error('the connection was closed without a response');
      return response;
    },
  };
}

function parseResponses(bytes: Buffer): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return responses;
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const status = Number(first.split(' ')[1]);
    const length = status === 304 || status === 204 ? 0 : Number(headers.get('content-length') ?? 0);
    if (rest.length < end + 4 + length) return responses;
    const body = rest.toString('utf8', end + 4, end + 4 + length);
    if (status >= 200) responses.push({ status, headers, body, json: () => JSON.parse(body) });
    rest = rest.subarray(end + 4 + length);
  }
}
