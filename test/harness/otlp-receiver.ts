import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { readOtlp } from './otlp-protobuf.ts';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver {
  readonly url: string;
  /** The received bodies, unchanged. */
  readonly bodies: string[];
  readonly types: ReadonlySet<string>;
  readonly resource: Record<string, unknown>;
  spans(): ReceivedSpan[];
  metricNames(): string[];
  nextBody(): Promise<unknown>;
}

const plain = (attributes: readonly Attribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

// biome-ignore lint/suspicious/noExplicitAny: OTLP's JSON has many types.
type Json = any;

/** A collector of OTLP over HTTP, with JSON or protobuf, on loopback, for the suite that is being declared. */
export async function otlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const types = new Set<string>();
  const received = new EventEmitter();
  const [spans, names, resource]: [ReceivedSpan[], string[], Record<string, unknown>] = [[], [], {}];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    bodies.push(bytes.toString());
    const type = request.headers['content-type'] ?? '';
    types.add(type);
    const signal = request.url?.endsWith('/metrics') ? 'metrics' : 'traces';
    const body = (type === 'application/json' ? JSON.parse(bytes.toString()) : readOtlp(bytes, signal)) as Json;
    for (const { resource: from, scopeSpans } of body.resourceSpans ?? []) {
      Object.assign(resource, plain(from.attributes));
      for (const { spans: some } of scopeSpans) {
        for (const span of some) spans.push({ ...span, attributes: plain(span.attributes) });
      }
    }
    for (const { scopeMetrics } of body.resourceMetrics ?? []) {
      for (const { metrics } of scopeMetrics) names.push(...metrics.map(({ name }: { name: string }) => name));
    }
    response.setHeader('content-type', type).end(type === 'application/json' ? '{}' : '');
    received.emit('body');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    bodies,
    types,
    resource,
    spans: () => spans,
    metricNames: () => names,
    nextBody: () => once(received, 'body'),
  };
}
