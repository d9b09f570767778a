import { otelVariable } from '../../src/config/config.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { isOneOf } from '../../src/platform/is-one-of.ts';

type Exporter = 'otlp' | 'console';
type Protocol = 'http/protobuf' | 'http/json';

export interface TelemetrySettings {
  readonly traces: { readonly exporter: Exporter; readonly protocol: Protocol } | undefined;
  readonly metrics: { readonly exporter: Exporter; readonly protocol: Protocol } | undefined;
}

/** Reads OpenTelemetry's variables; undefined if unset. An endpoint alone enables traces and metrics. */
export function readTelemetrySettings(): TelemetrySettings | undefined {
  if (otelVariable('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const traces = readSignal('TRACES', ['otlp', 'console', 'none']);
  const metrics = readSignal('METRICS', ['otlp', 'console', 'none', 'prometheus']);
  return traces || metrics ? { traces, metrics } : undefined;
}

function readSignal(signal: 'TRACES' | 'METRICS', exporters: readonly (Exporter | 'none' | 'prometheus')[]) {
  const name = `OTEL_${signal}_EXPORTER` as const;
  const endpoint = otelVariable('OTEL_EXPORTER_OTLP_ENDPOINT') || otelVariable(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  const exporter = otelVariable(name) || (endpoint ? 'otlp' : 'none');
  if (!isOneOf(exporters, exporter))
    throw new OperatorError(`${name}: got "${exporter}"; expected one of: ${exporters.join(', ')}.`);
  // `/metrics` is always available.
  if (exporter === 'none' || exporter === 'prometheus') return undefined;
  return { exporter, protocol: readProtocol(signal) };
}

function readProtocol(signal: 'TRACES' | 'METRICS'): Protocol {
  const protocolVariable = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL` as const;
  const name = otelVariable(protocolVariable) ? protocolVariable : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const protocol = otelVariable(name) || 'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol;
  throw new OperatorError(`${name}: got "${protocol}"; expected http/protobuf or http/json.`);
}

export function otelNumber(name: `OTEL_${string}`): number | undefined {
  const value = Number(otelVariable(name) || Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
