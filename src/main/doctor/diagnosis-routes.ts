import { Type } from 'typebox';
import type { Context } from '../../database/context.ts';
import type { App } from '../../http/app.ts';
import { insufficientScope } from '../../http/gate/unauthorized.ts';
import { isAdmin } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import { serviceVersion } from '../../platform/version.ts';
import type { Extension } from '../extension.ts';
import { checkDatabase } from './check-database.ts';
import { checkMail } from './check-mail.ts';
import { checkSettings } from './check-settings.ts';

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

const cacheMs = 60_000;

/** The findings of `gatehouse doctor` for the running service. Requests within a minute share one run. */
export function serveDiagnosis(app: App, context: Context, extensions: readonly Extension[]): void {
  const { config, database, now } = context;
  const startedAt = new Date(now()).toISOString();
  let last: { readonly at: number; readonly result: ReturnType<typeof examine> } | undefined;

  async function examine() {
    const [inDatabase, mail] = await Promise.all([checkDatabase({ config, database, now }), checkMail(config)]);
    const others = await Promise.all(extensions.map((extension) => extension.findings?.() ?? []));
    return {
      version: serviceVersion,
      node: process.versions.node,
      database: database.engine,
      started_at: startedAt,
      findings: [...checkSettings(config), ...inDatabase, mail, ...others.flat()],
    };
  }

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
