import type { Metrics } from '../../platform/metrics.ts';

/** Running telemetry, until it is stopped. */
export interface Telemetry {
  /** Has the figures sent as well, once there are some. `refresh` brings those up to date that are not counted. */
  sendMetrics(metrics: Metrics, refresh: () => void): void;
  /** Sends what is left. */
  stop(): Promise<void>;
}
