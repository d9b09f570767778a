import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Metrics } from '../../src/platform/metrics.ts';

interface Value {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly metricName?: string;
}

interface Figure {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly Value[];
}

type Times = { readonly startTime: HrTime; readonly endTime: HrTime };

/** The metrics of `/metrics` in OpenTelemetry's format, with the same names. */
export class PrometheusMetricProducer implements MetricProducer {
  readonly #metrics: Metrics;
  readonly #resource: Resource;
  readonly #refresh: () => void;
  readonly #began = performance.timeOrigin;

  constructor(metrics: Metrics, resource: Resource, refresh: () => void) {
    this.#metrics = metrics;
    this.#resource = resource;
    this.#refresh = refresh;
  }

  async collect(): Promise<CollectionResult> {
    this.#refresh();
    const figures = await this.#metrics.registry.getMetricsAsJSON();
    const now = performance.timeOrigin + performance.now();
    const times = { startTime: millisToHrTime(this.#began), endTime: millisToHrTime(now) };
    const metrics = figures.flatMap((figure) => asMetric(figure, times));
    return {
      resourceMetrics: { resource: this.#resource, scopeMetrics: [{ scope: { name: 'gatehouse' }, metrics }] },
      errors: [],
    };
  }
}

function asMetric(figure: Figure, times: Times): MetricData[] {
  const { name, help, type, values } = figure;
  const common = {
    descriptor: { name, description: help, unit: name.endsWith('_seconds') ? 's' : '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () => values.map(({ value, labels }) => ({ ...times, value, attributes: { ...labels } }));
  if (type === 'counter')
    return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }];
  if (type === 'gauge') return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() }];
  if (type === 'histogram') {
    return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(values, times) }];
  }
  return [];
}

interface Series {
  readonly attributes: Attributes;
  readonly boundaries: number[];
  readonly counts: number[];
  before: number;
  sum: number;
  count: number;
}

/** Prometheus buckets are cumulative. OpenTelemetry buckets are not. */
function histogramPoints(values: readonly Value[], times: Times) {
  const series = new Map<string, Series>();
  for (const { value, labels, metricName } of values) {
    const { le, ...attributes } = labels;
    const key = JSON.stringify(attributes);
    const one = series.get(key) ?? { attributes, boundaries: [], counts: [], before: 0, sum: 0, count: 0 };
    series.set(key, one);
    if (metricName?.endsWith('_sum')) one.sum = value;
    else if (metricName?.endsWith('_count')) one.count = value;
    else {
      if (le !== '+Inf') one.boundaries.push(Number(le));
      one.counts.push(value - one.before);
      one.before = value;
    }
  }
  return [...series.values()].map(({ attributes, boundaries, counts, sum, count }) => ({
    ...times,
    attributes,
    value: { buckets: { boundaries, counts }, sum, count },
  }));
}
