import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPostgres } from '../test/harness/postgres-server.ts';
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

if ((plan.peers && parts.length > 0) || loadGenerator === 'autocannon') installPackages();
const postgres = withPostgres && parts.length > 0 ? await createPostgres() : undefined;
const postgresUrl = postgres?.url;
const report: Report = {
  machine: `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}`,
  node: process.version,
  load: `${loadGenerator}, ${plan.connections} connections, ${plan.rounds} rounds of ${plan.seconds} s, medians`,
};
try {
  if (against) report.against = await compareCommits(against, plan);
  if (parts.includes('operations')) report.operations = await compareOperations(plan, postgresUrl);
  if (parts.includes('engines') && postgresUrl) report.engines = await compareEngines(plan, postgresUrl);
  if (parts.includes('workers')) report.workers = await compareWorkers(plan, postgresUrl);
  if (parts.includes('growth')) report.growth = await growth(plan, postgresUrl);
  if (parts.includes('day')) report.day = await dayOfSessions(plan);
  if (parts.includes('isolation')) report.isolation = await isolation(plan);
  if (parts.includes('changes')) report.changes = await measureChanges(plan, postgresUrl);
  if (parts.includes('flames')) report.flames = await flames(plan);
} finally {
  await postgres?.remove();
}

const results = out ?? fileURLToPath(new URL('results', import.meta.url));
mkdirSync(results, { recursive: true });
const text = textReport(report);
writeFileSync(join(results, 'results.txt'), text);
// Without the trees of the profiles: the charts show them.
const figures = JSON.stringify(report, (key, value) => (key === 'root' ? undefined : value), 2);
writeFileSync(join(results, 'results.json'), `${figures}\n`);
for (const [name, svg] of charts(report)) writeFileSync(join(results, `${name}.svg`), svg);
console.log(`${text}\nAlso in ${results}: results.json and charts.`);
process.exit(0);
