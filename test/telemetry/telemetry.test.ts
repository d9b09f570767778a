import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readTelemetrySettings } from '../../extensions/opentelemetry/telemetry-settings.ts';
import { createLog } from '../../src/platform/log.ts';
import { tracing } from '../../src/platform/tracing.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { otlpReceiver } from '../harness/otlp-receiver.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';

/** OpenTelemetry reads the environment itself. */
function withEnvironment(env: Record<string, string>): () => void {
  const before = { ...process.env };
  Object.assign(process.env, env);
  return () => {
    process.env = before;
  };
}

onBothEngines('Traces that the environment enables', (engine) => {
  const start = services(engine);
  after(() => assert.equal(tracing(), undefined, 'tracing ends with the service'));

  it("continue the caller's trace, contain the SQL without values, and are named in the log", async () => {
    const receiver = await otlpReceiver();
    // A different protocol on each engine, so that both are tested.
    const protocol = engine === 'sqlite' ? 'http/json' : 'http/protobuf';
    const restore = withEnvironment({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_SERVICE_NAME: 'our-api',
    });
    after(restore);
    const lines: Record<string, unknown>[] = [];
    const log = createLog('info', false, { write: (line: string) => lines.push(JSON.parse(line)) });
    const service = await start({ log, env: { LOG_LEVEL: 'info' } });
    const { email } = await addLogin(service);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const login = await request<{ access_token: string; refresh_token: string }>(
      service,
      '/v1/clients/web/admin/login',
      {
        json: { email, password },
        headers,
      },
    );
    assert.equal(login.status, 200);
    await request(service, '/v1/password/resets', { json: { email } });
    await service.accounts.mail.settle();
    const { access_token: token } = login.body;
    assert.equal((await request(service, '/v1/users/me', { token })).status, 200);
    const figures = (await request(service, '/metrics')).text;
    await service.close();

    const spans = receiver.spans();
    const requestSpan = spans.find(({ name }) => /^POST .*login$/.test(name));
    assert.ok(requestSpan, spans.map(({ name }) => name).join('\n'));
    assert.deepEqual([requestSpan.traceId, requestSpan.parentSpanId], [traceId, '00f067aa0ba902b7']);
    assert.equal(Number(requestSpan.attributes['http.response.status_code']), 200);
    const inside = spans.filter((span) => span.traceId === traceId && span !== requestSpan);
    assert.ok(inside.some(({ attributes }) => /sessions/.test(String(attributes['db.query.text']))));
    const bearer = spans.find(({ name }) => name === 'authenticate bearer');
    const parent = spans.find(({ spanId }) => spanId === bearer?.parentSpanId);
    assert.match(parent?.name ?? '', /^GET \/v1\/users/);
    assert.ok(spans.some(({ name }) => name === 'send mail'));
    assert.ok(spans.some(({ name }) => /^job /.test(name)));
    assert.equal(receiver.resource['service.name'], 'our-api');
    assert.match(String(receiver.resource['service.instance.id']), /^[\da-f-]{36}$/);
    const type = engine === 'sqlite' ? 'application/json' : 'application/x-protobuf';
    assert.deepEqual([...receiver.types], [type]);
    const sent = receiver.bodies.join();
    for (const secret of [password, email, token, login.body.refresh_token]) assert.ok(!sent.includes(secret), secret);
    const line = lines.find(
      (one) => one.msg === 'request' && one.requestId === requestSpan.attributes['gatehouse.request_id'],
    );
    assert.equal(line?.trace_id, traceId);
    assert.ok(receiver.metricNames().includes('gatehouse_http_request_duration_seconds'));
    assert.match(figures, new RegExp(`gatehouse_build_info\\{version="[^"]+",engine="${engine}",node="[^"]+"\\} 1`));
  });
});

describe('Metrics that OpenTelemetry exports', () => {
  const start = services('sqlite');

  it('contain the readiness of each part, although nothing requests it', async () => {
    const receiver = await otlpReceiver();
    const restore = withEnvironment({
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${receiver.url}/v1/metrics`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRIC_EXPORT_INTERVAL: '20',
    });
    after(restore);
    const service = await start();
    const isReady = (body: string) => /"key":"part","value":\{"stringValue":"database"\}/.test(body);
    for (let exports = 0; exports < 50 && !receiver.bodies.some(isReady); exports++) await receiver.nextBody();
    await service.close();
    assert.ok(receiver.bodies.some(isReady));
  });
});

describe("OpenTelemetry's variables", () => {
  const asked = (env: Record<string, string>) => {
    const restore = withEnvironment(env);
    try {
      return readTelemetrySettings();
    } finally {
      restore();
    }
  };
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const otlp = { exporter: 'otlp', protocol: 'http/protobuf' };

  it('have the meaning of the standard, and enable nothing if none is set', () => {
    assert.equal(asked({}), undefined);
    assert.equal(asked({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), undefined);
    assert.deepEqual(asked(endpoint), { traces: otlp, metrics: otlp });
    assert.deepEqual(asked({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' }), { traces: otlp, metrics: undefined });
    assert.deepEqual(asked({ OTEL_TRACES_EXPORTER: 'otlp' })?.traces, otlp);
    assert.throws(() => asked({ OTEL_TRACES_EXPORTER: 'zipkin' }), /OTEL_TRACES_EXPORTER: got "zipkin"/);
    assert.throws(() => asked({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), /expected http\/protobuf/);
  });
});
