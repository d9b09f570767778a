import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { SummedMetrics } from '../../extensions/workers/summed-metrics.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { registerUser } from '../harness/people.ts';
import { services } from '../harness/service.ts';

const read = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');

describe('The monitoring files', () => {
  const start = services('sqlite');
  let figures: string;
  before(async () => {
    const service = await start();
    await registerUser(service);
    await fetch(`${service.url}/health/ready`);
    figures = await (await fetch(`${service.url}/metrics`)).text();
  });

  for (const file of ['alerts.yml', 'grafana-dashboard.json']) {
    it(`use existing metrics: ${file}`, () => {
      const names = new Set(read(file).match(/\b(gatehouse|nodejs|process)_[a-z0-9_]+/g));
      assert.ok(names.size > 5);
      const known = new Set([...figures.matchAll(/^# TYPE (\w+)/gm)].map((match) => match[1] as string));
      const absent = [...names].filter(
        (name) => !known.has(name) && !known.has(name.replace(/_(bucket|count|sum)$/, '')),
      );
      assert.deepEqual(absent, []);
    });

    it(`use existing labels: ${file}`, () => {
      const labels = read(file).match(/(?<=by \()[a-z, ]+(?=\))/g) ?? [];
      const ofPrometheus = ['instance', 'job', 'le'];
      const names = new Set(labels.flatMap((list) => list.split(/, */)).filter((name) => !ofPrometheus.includes(name)));
      for (const name of names) {
        const absent = !figures.includes(`${name}="`);
        // These two labels appear only after the first event.
        assert.ok(!absent || ['cause', 'result'].includes(name), name);
      }
    });
  }

  it('use only login results that the code counts', () => {
    const asked = new Set(
      [...read('alerts.yml').matchAll(/result=~?"([a-z|]+)"/g)].flatMap((match) => match[1]?.split('|') ?? []),
    );
    const source = readFileSync(
      new URL('../../src/identity/credentials/check-credentials.ts', import.meta.url),
      'utf8',
    );
    for (const result of asked) assert.ok(source.includes(`logins.inc({ result: '${result}' })`), result);
  });

  it('compare failed logins with accepted ones even if no login was accepted', () => {
    assert.match(
      read('alerts.yml'),
      /\(sum\(rate\(gatehouse_logins_total\{result="accepted"\}\[10m\]\)\) or vector\(0\)\)/,
    );
  });

  it('explain every part of the service that can fail', () => {
    const docs = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const [, table = ''] = /### Failing parts\n([\s\S]*?)\n### /.exec(docs) ?? [];
    const parts = [...table.matchAll(/^\| `(?!draining)(\w+)` \|/gm)].map((match) => match[1]);
    assert.ok(parts.length > 4);
    for (const part of parts) assert.match(read('alerts.yml'), new RegExp(`[' ]${part}: `));
  });

  it('notice one blocked worker among several', async () => {
    const name = 'nodejs_eventloop_lag_p99_seconds';
    const workers = new SummedMetrics();
    for (const [worker, lag] of [0.01, 0.9, 0.01].entries()) {
      const { registry } = createMetrics();
      const lags = (await registry.getMetricsAsJSON()).map((figure) =>
        figure.name === name ? { ...figure, values: [{ labels: {}, value: lag }] } : figure,
      );
      workers.note(worker, lags);
    }
    assert.match(await workers.text(), new RegExp(`^${name} 0\\.9$`, 'm'));
  });

  it('contain a dashboard that Grafana can load', () => {
    const { panels, templating } = JSON.parse(read('grafana-dashboard.json')) as {
      panels: { id: number; title: string; targets: { expr: string }[] }[];
      templating: { list: { name: string }[] };
    };
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    assert.ok(panels.every(({ title, targets }) => title && targets.every(({ expr }) => expr)));
    assert.deepEqual(
      templating.list.map(({ name }) => name),
      ['datasource', 'job'],
    );
  });
});
