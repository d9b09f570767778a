import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPostgres } from '../test/harness/postgres-server.ts';
import { enterRunFolder } from '../test/harness/run-folder.ts';
import { measureChanges } from './changes.ts';
import { compareCommits } from './compare-commits.ts';
import { compareEngines } from './compare-engines.ts';
import { compareOperations } from './compare-operations.ts';
import { compareWorkers } from './compare-workers.ts';
import { dayOfSessions } from './day-of-sessions.ts';
import { flames } from './flames.ts';
import { growth } from './growth.ts';
import { installPackages } from './install-packages.ts';
import { isolation } from './isolation.ts';
import { loadGenerator } from './measure/load.ts';
import { readOptions } from './options.ts';
import { charts } from './report/charts.ts';
import type { Report } from './report/report.ts';
import { textReport } from './report/text-report.ts';

const { against, parts, plan, postgres: withPostgres, out } = readOptions();
// The disk is measured too.
enterRunFolder({ onDisk: true });

if (plan.peers && parts.includes('operations')) await installPackages('peers');
if (loadGenerator === 'autocannon') await installPackages('.');
const postgres = withPostgres && parts.length > 0 ? await createPostgres() : undefined;
const postgresUrl = postgres?.url;
const report: Report = {
  machine: `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}`,
  node: process.version,
  load: `${loadGenerator}, ${plan.connections} connections, ${plan.rounds} rounds of ${plan.seconds} s, medians`,
};
const results = out ?? fileURLToPath(new URL('results', import.meta.url));
mkdirSync(results, { recursive: true });

/** Adds the figures of one part to the report and writes it, so that an interrupted run keeps its finished parts. */
async function add<K extends keyof Report>(part: K, measured: Promise<Report[K]>): Promise<void> {
  report[part] = await measured;
  writeFileSync(join(results, 'results.txt'), textReport(report));
  // Without the trees of the profiles: the charts show them.
  const figures = JSON.stringify(report, (key, value) => (key === 'root' ? undefined : value), 2);
  writeFileSync(join(results, 'results.json'), `${figures}\n`);
  for (const [name, svg] of charts(report)) writeFileSync(join(results, `${name}.svg`), svg);
}

try {
  if (against) await add('against', compareCommits(against, plan));
  if (parts.includes('operations')) await add('operations', compareOperations(plan, postgresUrl));
  if (parts.includes('engines') && postgresUrl) await add('engines', compareEngines(plan, postgresUrl));
  if (parts.includes('workers')) await add('workers', compareWorkers(plan, postgresUrl));
  if (parts.includes('growth')) await add('growth', growth(plan, postgresUrl));
  if (parts.includes('day')) await add('day', dayOfSessions(plan));
  if (parts.includes('isolation')) await add('isolation', isolation(plan));
  if (parts.includes('changes')) await add('changes', measureChanges(plan, postgresUrl));
  if (parts.includes('flames')) await add('flames', flames(plan));
} finally {
  await postgres?.remove();
}

console.log(`${textReport(report)}\nAlso in ${results}: results.json and charts.`);
process.exit(0);
