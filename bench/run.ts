import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createPostgres } from '../test/harness/postgres-server.ts';
import { compareOperations } from './compare-operations.ts';
import { dayOfSessions } from './day-of-sessions.ts';
import { flames } from './flames.ts';
import { growth } from './growth.ts';
import { installPackages } from './install-packages.ts';
import { isolation } from './isolation.ts';
import { loadGenerator } from './measure/load.ts';
import { charts } from './report/charts.ts';
import { type Report, textReport } from './report/text-report.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    operations: { type: 'string' },
    'no-postgres': { type: 'boolean', default: false },
    'no-peers': { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`npm run bench [-- options]
  --quick               a few seconds: shows that the benchmark works, measures nothing worth noting
  --only a,b            some of: operations, growth, day, isolation, flames
  --operations a,b      of the operations, some: "get,list"
  --rounds n            how often each operation is measured on each server (default 5); the median counts
  --seconds n           how long each time (default 3)
  --no-postgres         SQLite alone
  --no-peers            without the servers of others
  --out folder          where results go (default bench/results)`);
  process.exit(0);
}

const parts = values.only?.split(',') ?? ['operations', 'growth', 'day', 'isolation', 'flames'];
const plan = {
  rounds: Number(values.rounds ?? (values.quick ? 1 : 5)),
  seconds: Number(values.seconds ?? (values.quick ? 1 : 3)),
  connections: 32,
  quick: values.quick,
  peers: !values['no-peers'],
  ...(values.operations ? { operations: values.operations.split(',') } : {}),
};

if (plan.peers || loadGenerator === 'autocannon') installPackages();
const postgres = values['no-postgres'] ? undefined : await createPostgres();
const postgresUrl = postgres?.url;
const report: Report = {
  machine: `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}`,
  node: process.version,
  load: `${loadGenerator}, ${plan.connections} connections, ${plan.rounds} rounds of ${plan.seconds} s, medians`,
};
try {
  if (parts.includes('operations')) report.operations = await compareOperations(plan, postgresUrl);
  if (parts.includes('growth')) report.growth = await growth(plan, postgresUrl);
  if (parts.includes('day')) report.day = await dayOfSessions(plan);
  if (parts.includes('isolation')) report.isolation = await isolation(plan);
  if (parts.includes('flames')) report.flames = await flames(plan);
} finally {
  await postgres?.remove();
}

const results = values.out ?? fileURLToPath(new URL('results', import.meta.url));
mkdirSync(results, { recursive: true });
const text = textReport(report);
writeFileSync(join(results, 'results.txt'), text);
// Without the trees of the profiles: the charts show them.
const figures = JSON.stringify(report, (key, value) => (key === 'root' ? undefined : value), 2);
writeFileSync(join(results, 'results.json'), `${figures}\n`);
for (const [name, svg] of charts(report)) writeFileSync(join(results, `${name}.svg`), svg);
console.log(`${text}\nAlso in ${results}: results.json and charts.`);
process.exit(0);
