import { spawnSync } from 'node:child_process';
import { driveByAutocannon } from './autocannon.ts';
import type { BenchRequest } from './request.ts';
import type { Load, Result } from './result.ts';
import { driveByWrk } from './wrk.ts';

const hasWrk = spawnSync('wrk', ['--version'], { stdio: 'ignore' }).error === undefined;

/** wrk if it is installed, because it leaves more of the machine to the server. */
export const loadGenerator = hasWrk ? 'wrk' : 'autocannon';

/** Sends one request after another on each connection, and waits for each response. */
export const drive = (url: string, request: BenchRequest, load: Load): Promise<Result> =>
  hasWrk ? driveByWrk(url, request, load) : driveByAutocannon(url, request, load);

/** Throws if a request failed: a failure takes another time than a success. */
export async function driveStrictly(url: string, request: BenchRequest, load: Load): Promise<Result> {
  const result = await drive(url, request, load);
  const { failures, requests } = result;
  if (failures > 0)
    throw new Error(`${failures} of ${requests} requests failed: ${request.method} ${url}${request.path}`);
  return result;
}
