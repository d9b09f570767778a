import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceOptions } from '../../bin/service-options.mjs';
import { startServer } from '../measure/server-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The startup time of the service without declared resources: the best of several starts. */
export async function startOfBuilt(times: number): Promise<{ coldStart: number; memoryAtRest: number | undefined }> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-start-'));
  const launch = {
    name: 'Gatehouse (built)',
    args: [...serviceOptions, join(root, 'dist/cli/main.js'), 'serve'],
    env: { DATABASE_URL: `sqlite:${join(dir, 'gatehouse.db')}`, DATA_DIR: dir, LOG_LEVEL: 'warn' },
    cwd: dir,
    ready: '/health/ready',
    operations: async () => ({}),
  };
  try {
    // The first start creates the database and compiles. Only later starts are measured.
    await (await startServer(launch)).stop();
    let coldStart = Number.POSITIVE_INFINITY;
    let memoryAtRest: number | undefined;
    for (let i = 0; i < times; i++) {
      const server = await startServer(launch);
      coldStart = Math.min(coldStart, server.coldStart);
      await new Promise((resolve) => setTimeout(resolve, 500));
      memoryAtRest = server.memory();
      await server.stop();
    }
    return { coldStart, memoryAtRest };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
