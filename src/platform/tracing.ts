type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** The default is internal. */
  readonly kind?: 'client' | 'consumer';
  readonly attributes?: Attributes;
  /** Only inside another span, because maintenance queries the database every second. */
  readonly onlyAsChild?: boolean;
}

/** The span of one request, from its headers on. */
export interface RequestSpan {
  run<T>(work: () => T): T;
  end(name: string, attributes: Attributes, failed: boolean): void;
}

export interface Tracing {
  inSpan<T>(name: string, options: SpanOptions, work: () => T): T;
  /** Continues the trace of the caller (W3C Trace Context). */
  openRequest(headers: Readonly<Record<string, unknown>>): RequestSpan;
  ids(): { readonly trace_id: string; readonly span_id: string } | undefined;
}

let current: Tracing | undefined;

/** Undefined unless the OpenTelemetry variables enable traces. */
export const tracing = (): Tracing | undefined => current;

export function setTracing(next: Tracing | undefined): void {
  current = next;
}

/** Runs work in a separate span if tracing is enabled. The span ends when the work returns or its promise settles. */
export const inSpan = <T>(name: string, options: SpanOptions, work: () => T): T =>
  current ? current.inSpan(name, options, work) : work();
