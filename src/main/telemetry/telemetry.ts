import type { Metrics } from '../../platform/metrics.ts';

/** Running telemetry, until it is stopped. */
export interface Telemetry {
  /** Exports the metrics too. `refresh` updates the metrics that are not counters. */
  sendMetrics(metrics: Metrics, refresh: () => void): void;
  /** Sends the remaining data. */
  stop(): Promise<void>;
}
