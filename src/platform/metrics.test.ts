import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createMetrics } from './metrics.ts';

it('services in one process share the metrics of the process, but not their own', () => {
  const [first, second] = [createMetrics().registry, createMetrics().registry];
  const lag = 'nodejs_eventloop_lag_p99_seconds';
  assert.ok(first.getSingleMetric(lag));
  assert.equal(first.getSingleMetric(lag), second.getSingleMetric(lag));
  assert.notEqual(
    first.getSingleMetric('gatehouse_tokens_issued_total'),
    second.getSingleMetric('gatehouse_tokens_issued_total'),
  );
});
