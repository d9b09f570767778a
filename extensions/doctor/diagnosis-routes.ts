import { Type } from 'typebox';
import type { Context } from '../../src/database/context.ts';
import type { App } from '../../src/http/app.ts';
import { insufficientScope } from '../../src/http/gate/unauthorized.ts';
import type { Extension } from '../../src/main/extension.ts';
import { isAdmin } from '../../src/platform/caller.ts';
import { forbidden } from '../../src/platform/errors.ts';
import { lazy } from '../../src/platform/lazy.ts';
import { serviceVersion } from '../../src/platform/version.ts';

const Finding = Type.Object({
  part: Type.String(),
  state: Type.Enum(['ok', 'notice', 'error']),
  summary: Type.String(),
  fix: Type.Optional(Type.String({ description: 'How to fix the problem.' })),
  message: Type.Optional(
    Type.Object(
      { summary: Type.String(), fix: Type.String(), values: Type.Record(Type.String(), Type.Unknown()) },
      { description: 'The two texts as messages with separate values, for translation.' },
    ),
  ),
});
const Findings = Type.Object({
  version: Type.String(),
  node: Type.String(),
  database: Type.String(),
  started_at: Type.String({ format: 'date-time' }),
  findings: Type.Array(Finding),
});

const loadChecks = lazy(() => import('./diagnose.ts'));
const cacheMs = 60_000;

/** The findings of `gatehouse doctor` for the running service. Requests within a minute share one run. */
export function serveDiagnosis(app: App, context: Context, extensions: readonly Extension[]): void {
  const { database, now } = context;
  const startedAt = new Date(now()).toISOString();
  let last: { readonly at: number; readonly result: ReturnType<typeof examine> } | undefined;

  const examine = async () => ({
    version: serviceVersion,
    node: process.versions.node,
    database: database.engine,
    started_at: startedAt,
    findings: await (await loadChecks()).diagnose(context, extensions),
  });

  app.get(
    '/v1/diagnoses',
    {
      config: { auth: 'auth:api', scope: 'events:read' },
      schema: {
        tags: ['events'],
        summary: 'Get the versions and the findings of gatehouse doctor',
        description: 'The checks run at most once a minute. Requires the scope `*`.',
        response: { 200: Type.Object({ data: Findings }) },
      },
    },
    async ({ caller }) => {
      if (!isAdmin(caller)) throw forbidden('The overview is for administrators.');
      // The response reveals settings and paths.
      if (!caller.scopes.includes('*')) throw insufficientScope('*');
      const at = now();
      if (!last || at - last.at >= cacheMs) last = { at, result: examine() };
      const { result } = last;
      result.catch(() => {
        if (last?.result === result) last = undefined;
      });
      return { data: await result };
    },
  );
}
