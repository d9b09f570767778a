import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRequest } from './request.ts';
import type { Load, Result } from './result.ts';

/** JSON strings are Lua strings, except for \u and for \/, which JSON.stringify does not write. */
const lua = (text: string): string => JSON.stringify(text).replace(/\\u[0-9a-f]{4}/g, '?');

/** `a{}b#c` as a Lua expression over `value` and `number`. */
const template = (text: string): string =>
  text
    .split(/(\{\}|#)/)
    .map((part) => (part === '{}' ? 'value' : part === '#' ? 'unique .. number' : lua(part)))
    .join(' .. ');

function script({ method, path, headers, body = '', values, nextValue, expect }: BenchRequest): string {
  const varies = values !== undefined || body.includes('#');
  const lines = [
    ...Object.entries(headers).map(([name, text]) => `wrk.headers[${lua(name)}] = ${lua(text)}`),
    `wrk.method = ${lua(method)}`,
    'failed = 0',
    // Each thread has its own Lua; there is one thread.
    'function setup(thread) main = thread end',
    // wrk itself counts only responses from 400 on.
    'function response(status, headers, body)',
    `  if status ~= ${expect.status} then failed = failed + 1 return end`,
    ...(nextValue
      ? [
          `  local found = string.match(body, '"${nextValue}":%s*"([^"]+)"')`,
          '  if not found then failed = failed + 1 return end',
          '  last = last + 1',
          '  values[last] = found',
        ]
      : []),
    'end',
  ];
  if (varies) {
    lines.push(
      `values = {${(values ?? ['']).map(lua).join(', ')}}`,
      'last = #values',
      'local first, number = 1, 0',
      `local unique = "${process.hrtime.bigint().toString(36)}x"`,
      'function request()',
      '  number = number + 1',
      '  local value = values[first]',
      nextValue ? '  values[first] = nil' : '  values[#values + 1] = value',
      nextValue ? '  first = first + 1' : '  first = first % 10000000 + 1',
      `  return wrk.format(nil, ${template(path)}, nil, ${body === '' ? 'nil' : template(body)})`,
      'end',
    );
  } else {
    lines.push(`wrk.path = ${lua(path)}`);
    if (body !== '') lines.push(`wrk.body = ${lua(body)}`);
  }
  lines.push(
    'function done(summary, latency)',
    '  local e = summary.errors',
    '  local failures = e.connect + e.read + e.write + e.timeout + main:get("failed")',
    '  io.write(string.format("RESULT %d %d %f %f %d\\n", summary.requests, summary.duration,',
    '    latency:percentile(50), latency:percentile(99), failures))',
    'end',
  );
  return lines.join('\n');
}

export async function driveByWrk(url: string, request: BenchRequest, load: Load): Promise<Result> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-wrk-'));
  const file = join(dir, 'load.lua');
  writeFileSync(file, script(request));
  try {
    const output = await run(['-t1', `-c${load.connections}`, `-d${load.seconds}s`, '--timeout=30s', '-s', file, url]);
    const found = /RESULT (\d+) (\d+) ([\d.]+) ([\d.]+) (\d+)/.exec(output);
    if (!found) throw new Error(`unexpected output of wrk: ${output}`);
    const [requests, micros, p50, p99, failures] = found.slice(1).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return { requests, perSecond: requests / (micros / 1e6), p50: p50 / 1000, p99: p99 / 1000, failures };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function run(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`wrk ended with ${code}: ${output}`)),
    );
  });
}
