import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { localNow } from '../../src/cli/terminal/local-clock.ts';
import { readPort } from '../../src/cli/terminal/option-values.ts';
import { printable } from '../../src/cli/terminal/table.ts';
import { codeOf, OperatorError } from '../../src/platform/errors.ts';
import { verifyDelivery } from './webhooks/webhook-signature.ts';

interface Flags {
  readonly port: string;
  readonly secret?: string;
  readonly status?: number;
  readonly json?: boolean;
}

const maxBodyBytes = 2 ** 21;

export function addWebhooksListen(webhooks: Command): void {
  webhooks
    .command('listen')
    .description('Receive webhooks on this machine for a test. Prints each delivery and verifies its signature.')
    .option('--port <number>', 'the port to listen on', readPort, '8787')
    .addOption(
      new Option('--secret <secret>', 'the webhook’s secret (whsec_…) or public key (whpk_…)').env('WEBHOOK_SECRET'),
    )
    .option('--status <number>', 'respond to every delivery with this status, such as 500', readStatus)
    .option('--json', 'print the body of each delivery as one line of JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse webhooks listen --secret whsec_…\n  gatehouse webhooks listen --status 500',
    )
    .action((flags: Flags) => listen(flags));
}

async function listen(flags: Flags): Promise<void> {
  const server = createServer((request, response) => void receive(flags, request, response));
  server.listen(Number(flags.port), '127.0.0.1');
  await once(server, 'listening').catch((error) => {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    throw new OperatorError(
      `Another program listens on 127.0.0.1 port ${flags.port}. Choose another port, or any free one: --port 0`,
    );
  });
  const { port } = server.address() as AddressInfo;
  console.error(`Listening. Set the url of your webhook to http://127.0.0.1:${port}/ – stop with Ctrl-C.`);
  if (!flags.secret) console.error('Without --secret, signatures are not verified.');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  await once(server, 'close');
}

async function receive({ secret, status, json }: Flags, request: IncomingMessage, response: ServerResponse) {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBodyBytes) return void response.writeHead(413).end();
      chunks.push(chunk);
    }
  } catch {
    // The sender disconnected.
    return;
  }
  const body = Buffer.concat(chunks).toString('utf8');
  const problem = secret ? verifyDelivery(secret, request.headers, body, localNow()) : undefined;
  const signatureState = problem ?? (secret ? 'verified' : 'not verified');
  console.log(json ? printable(body) : printable(summaryOf(request.headers['webhook-id'], body, signatureState)));
  if (json && problem) console.error(problem);
  response.writeHead(status ?? (problem ? 401 : 204)).end();
}

function summaryOf(id: string | string[] | undefined, body: string, signatureState: string): string {
  const time = new Date(localNow()).toISOString();
  try {
    const { type, data }: { type?: unknown; data?: { id?: unknown; after?: unknown } } = JSON.parse(body);
    const row = data?.id === undefined ? [] : [String(data.id), JSON.stringify(data.after ?? null)];
    return [time, signatureState, String(type), ...row, `webhook-id=${id}`].join('  ');
  } catch {
    return [time, signatureState, 'not JSON', `webhook-id=${id}`].join('  ');
  }
}

function readStatus(text: string): number {
  if (/^[2-5]\d\d$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a status from 200 to 599.');
}
