import { randomUUID } from 'node:crypto';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AggregationTemporality,
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { otelVariable } from '../../src/config/config.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import type { Metrics } from '../../src/platform/metrics.ts';
import { setTracing } from '../../src/platform/tracing.ts';
import { PrometheusMetricProducer } from './prometheus-metric-producer.ts';
import { SpanTracing } from './span-tracing.ts';
import { otelNumber, type TelemetrySettings } from './telemetry-settings.ts';

const samplers = new Map<string, () => Sampler>([
  ['always_on', () => new AlwaysOnSampler()],
  ['always_off', () => new AlwaysOffSampler()],
  ['traceidratio', () => new TraceIdRatioBasedSampler(otelNumber('OTEL_TRACES_SAMPLER_ARG') ?? 1)],
]);
const parentBased = 'parentbased_';

/** The sampler: OTEL_TRACES_SAMPLER, otherwise the caller's decision. */
function readSampler(): Sampler {
  const name = otelVariable('OTEL_TRACES_SAMPLER') || `${parentBased}always_on`;
  const isParentBased = name.startsWith(parentBased);
  const make = samplers.get(isParentBased ? name.slice(parentBased.length) : name);
  if (!make) {
    const known = [...samplers.keys()].flatMap((one) => [one, parentBased + one]);
    throw new OperatorError(`OTEL_TRACES_SAMPLER: got "${name}"; expected one of: ${known.join(', ')}.`);
  }
  return isParentBased ? new ParentBasedSampler({ root: make() }) : make();
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence over our defaults. Each worker is an instance with its own counters. */
const resourceOf = (version: string): Resource =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'gatehouse',
        'service.version': version,
        'service.instance.id': randomUUID(),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));

export async function openTelemetry({ traces, metrics }: TelemetrySettings, version: string) {
  const resource = resourceOf(version);
  const stopTracing = traces ? await openTraces(traces, resource) : undefined;
  let meters: MeterProvider | undefined;
  const exporter = metrics ? await metricExporter(metrics) : undefined;
  return {
    /** Exports the metrics too. `refresh` updates the metrics that are not counters. */
    sendMetrics(figures: Metrics, refresh: () => void): void {
      if (!exporter) return;
      const reader = new PeriodicExportingMetricReader({
        exporter,
        metricProducers: [new PrometheusMetricProducer(figures, resource, refresh)],
        exportIntervalMillis: otelNumber('OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000,
        exportTimeoutMillis: Math.min(30_000, otelNumber('OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000),
      });
      meters = new MeterProvider({ resource, readers: [reader] });
    },
    async stop(): Promise<void> {
      // An unreachable collector must not prevent the service from stopping.
      await Promise.allSettled([stopTracing?.(), meters?.shutdown()]);
    },
  };
}

async function openTraces(traces: NonNullable<TelemetrySettings['traces']>, resource: Resource) {
  const delay = otelNumber('OTEL_BSP_SCHEDULE_DELAY');
  const queue = otelNumber('OTEL_BSP_MAX_QUEUE_SIZE');
  const batch = otelNumber('OTEL_BSP_MAX_EXPORT_BATCH_SIZE');
  const processor = new BatchSpanProcessor({
    exporter: await spanExporter(traces),
    ...(delay === undefined ? {} : { scheduledDelayMillis: delay }),
    ...(queue === undefined ? {} : { maxQueueSize: queue }),
    ...(batch === undefined ? {} : { maxExportBatchSize: batch }),
  });
  const provider = new TracerProvider({ resource, sampler: readSampler(), spanProcessors: [processor] });
  // Set globally, so that spans of the operator's own code become children of ours.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  setTracing(new SpanTracing(trace.getTracer('gatehouse')));
  return async () => {
    setTracing(undefined);
    await provider.shutdown().finally(() => {
      trace.disable();
      context.disable();
    });
  };
}

async function spanExporter({ exporter, protocol }: NonNullable<TelemetrySettings['traces']>) {
  if (exporter === 'console') return new ConsoleSpanExporter();
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

async function metricExporter({ exporter, protocol }: NonNullable<TelemetrySettings['metrics']>) {
  if (exporter === 'console') {
    return new ConsoleMetricExporter({ temporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }
  const { OTLPMetricExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto');
  return new OTLPMetricExporter();
}
