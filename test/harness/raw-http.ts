import { connect } from 'node:net';

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  json(): Record<string, unknown>;
}

/**
 * Sends bytes as they are and returns the answers that come back until the server closes, or until `count` have come.
 * For what `fetch` would refuse to send.
 */
export function sendRaw(url: string, bytes: string | Buffer, { count = 1 } = {}): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const chunks: Buffer[] = [];
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parseAnswers(Buffer.concat(chunks)));
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no whole answer to ${JSON.stringify(String(bytes).slice(0, 100))}`));
    }, 10_000);
    socket.on('data', (chunk) => {
      chunks.push(Buffer.from(chunk));
      if (parseAnswers(Buffer.concat(chunks)).length >= count) finish();
    });
    socket.on('close', finish);
    // The server may answer and close while bytes are still under way; what it said counts.
    socket.on('error', finish);
    socket.write(bytes);
  });
}

/** The first answer; fails when there was none. */
export async function sendOne(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const [answer] = await sendRaw(url, bytes);
  if (!answer) throw new Error('the connection was closed without an answer');
  return answer;
}

function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const status = Number(first.split(' ')[1]);
    const length = status === 304 || status === 204 ? 0 : Number(headers.get('content-length') ?? 0);
    if (rest.length < end + 4 + length) return answers;
    const body = rest.toString('utf8', end + 4, end + 4 + length);
    if (status >= 200) answers.push({ status, headers, body, json: () => JSON.parse(body) });
    rest = rest.subarray(end + 4 + length);
  }
}
