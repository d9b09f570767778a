import type { BenchRequest } from './request.ts';
import type { Load, Result } from './result.ts';

interface Sent {
  path?: string;
  body?: string;
}

/** The part of autocannon that is used. Only the benchmark installs the package, so its types are not available. */
type Autocannon = (options: {
  url: string;
  connections: number;
  duration: number;
  timeout: number;
  requests: {
    method: string;
    path: string;
    headers: Record<string, string>;
    body?: string;
    setupRequest(request: Sent): Sent;
    onResponse(status: number, body: string): void;
  }[];
}) => Promise<{
  requests: { total: number };
  duration: number;
  latency: { p50: number; p99: number };
  /** Timeouts too. */
  errors: number;
}>;

export async function driveByAutocannon(url: string, request: BenchRequest, load: Load): Promise<Result> {
  const name = 'autocannon';
  const autocannon = ((await import(name)) as { default: Autocannon }).default;
  const { method, path, headers, body, nextValue, expect } = request;
  const values = [...(request.values ?? [''])];
  const unique = `${process.hrtime.bigint().toString(36)}x`;
  let number = 0;
  let failed = 0;
  const result = await autocannon({
    url,
    connections: load.connections,
    duration: load.seconds,
    timeout: 30,
    requests: [
      {
        method,
        path,
        headers: { ...headers },
        ...(body === undefined ? {} : { body }),
        setupRequest(sent) {
          const value = values.shift() ?? '';
          if (!nextValue) values.push(value);
          sent.path = path.replaceAll('{}', value);
          if (body !== undefined) sent.body = body.replaceAll('{}', value).replaceAll('#', `${unique}${number++}`);
          return sent;
        },
        onResponse(status, text) {
          const next =
            nextValue && status === expect.status ? new RegExp(`"${nextValue}":\\s*"([^"]+)"`).exec(text)?.[1] : '';
          if (status !== expect.status || next === undefined) failed++;
          else if (nextValue) values.push(next);
        },
      },
    ],
  });
  return {
    requests: result.requests.total,
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failures: failed + result.errors,
  };
}
