import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from './compare-operations.ts';
import { prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { type Frame, readProfile } from './measure/cpu-profile.ts';
import { driveStrictly } from './measure/load.ts';

export interface Flame {
  readonly operation: string;
  readonly root: Frame;
  /** Microseconds of the main thread for one request, including the profiler. */
  readonly perRequest: number;
}

const operations = ['get', 'client credentials', 'refresh'] as const;
const now = (): number => Number(process.hrtime.bigint() / 1000n);

/** Profiles the three main operations (quick: only the first) in the process of the service. */
export async function flames(plan: Plan): Promise<Flame[]> {
  const prepared = await prepareGatehouse('sqlite', { cars: plan.quick ? 1_000 : 10_000 });
  const made: Flame[] = [];
  try {
    for (const operation of plan.quick ? operations.slice(0, 1) : operations) {
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-profile-'));
      const server = await prepared.start(['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200']);
      const load = { connections: plan.connections, seconds: plan.quick ? 1 : 6 };
      if (!plan.quick) await driveStrictly(server.url, await server.again(operation), { ...load, seconds: 1 });
      const request = await server.again(operation);
      const from = now();
      const { requests } = await driveStrictly(server.url, request, load);
      const to = now();
      // The profile is written when the process ends.
      await server.stop();
      const root = readProfile(folder, from, to);
      made.push({ operation, root, perRequest: root.time / requests });
      rmSync(folder, { recursive: true });
      console.log(`profiled ${operation}`);
    }
  } finally {
    prepared.remove();
  }
  return made;
}
