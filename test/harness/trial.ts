import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gatehouse, type ServerProcess, serverProcesses } from './command.ts';
import { Oracle } from './oracle.ts';

const RESOURCES_DIR = fileURLToPath(new URL('../faults/resources', import.meta.url));

/** Instances as separate processes on one database, and an oracle that writes to the running ones. */
export function trials() {
  const serve = serverProcesses();
  const folders: string[] = [];
  const oracles: Oracle[] = [];
  after(async () => {
    await Promise.all(oracles.map((oracle) => oracle.end()));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  /** `root`: the folder of the version that creates the database. Default: the version under test. */
  return async (env: Record<string, string>, folder?: string, root?: string) => {
    const dir = folder ?? mkdtempSync(join(tmpdir(), 'gatehouse-trial-'));
    if (!folder) folders.push(dir);
    const all = { RESOURCES_DIR, LOG_LEVEL: 'warn', ...env };
    const made = await gatehouse(['client', 'create', 'Robot', '--json'], dir, all, root);
    if (made.code !== 0) throw new Error(made.stderr);
    const up = new Set<ServerProcess>();
    const oracle = new Oracle(JSON.parse(made.stdout), () => [...up].map(({ url }) => url));
    oracles.push(oracle);
    return {
      dir,
      oracle,
      async start(more: Record<string, string> = {}, version?: string): Promise<ServerProcess> {
        const server = await serve(dir, { ...all, LOG_LEVEL: 'info', ...more }, version);
        up.add(server);
        return server;
      },
      /** The oracle sends it no more requests. */
      leave: (server: ServerProcess) => up.delete(server),
    };
  };
}
