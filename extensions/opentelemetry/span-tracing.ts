import {
  context,
  defaultTextMapGetter,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { RequestSpan, SpanOptions, Tracing } from '../../src/platform/tracing.ts';

const kinds = { client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;

/** Spans through OpenTelemetry's API. They contain no error messages, because those may contain a caller's input. */
export class SpanTracing implements Tracing {
  readonly #tracer: Tracer;
  readonly #propagator = new W3CTraceContextPropagator();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  inSpan<T>(name: string, { kind, attributes = {}, onlyAsChild = false }: SpanOptions, work: () => T): T {
    if (onlyAsChild && !trace.getSpan(context.active())) return work();
    const span = this.#tracer.startSpan(name, { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes });
    try {
      const result = context.with(trace.setSpan(context.active(), span), work);
      if (!(result instanceof Promise)) {
        span.end();
        return result;
      }
      return result.then(
        (value) => {
          span.end();
          return value;
        },
        (error) => {
          fail(span, error);
          throw error;
        },
      ) as T;
    } catch (error) {
      fail(span, error);
      throw error;
    }
  }

  openRequest(headers: Readonly<Record<string, unknown>>): RequestSpan {
    const parent = this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
    const inside = trace.setSpan(parent, span);
    return {
      run: (work) => context.with(inside, work),
      end(name, attributes, failed) {
        span.updateName(name);
        span.setAttributes(attributes);
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  ids() {
    const ids = trace.getSpan(context.active())?.spanContext();
    return ids && isSpanContextValid(ids) ? { trace_id: ids.traceId, span_id: ids.spanId } : undefined;
  }
}

function fail(span: Span, error: unknown): void {
  if (error instanceof Error) span.setAttribute('error.type', error.name);
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
