import { Type } from 'typebox';
import type { Context } from '../../database/context.ts';
import type { App } from '../../http/app.ts';
import { insufficientScope } from '../../http/gate/unauthorized.ts';
import { countPeopleByFactor } from '../../identity/factors/held-factor-store.ts';
import { type Caller, isAdmin } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import type { Extension } from '../extension.ts';
import type { Activity } from './activity.ts';
import { createDiagnosis } from './diagnosis.ts';

const count = Type.Optional(Type.Integer());
const HourOfActivity = Type.Object({
  at: Type.String({ format: 'date-time', description: 'The beginning of the hour.' }),
  sign_ins: count,
  failures: count,
  registrations: count,
  tokens: count,
  sessions: Type.Optional(Type.Integer({ description: 'The number of live sessions.' })),
});

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

/** The state of the service, for administrators: recent activity, and the findings of `gatehouse doctor`. */
export function serveOverview(
  app: App,
  context: Context,
  { activity, extensions }: { readonly activity: Activity; readonly extensions: readonly Extension[] },
): void {
  const diagnose = createDiagnosis(context, extensions);
  app.get(
    '/v1/activities',
    {
      config: { auth: 'auth:api', scope: 'events:read' },
      schema: {
        tags: ['events'],
        summary: 'Get sign-ins, failures, registrations, tokens and live sessions per hour, for the last thirty days',
        response: {
          200: Type.Object({
            data: Type.Object({
              sessions: Type.Integer(),
              factors: Type.Object(
                { passkeys: Type.Integer(), authenticators: Type.Integer() },
                { description: 'The number of users with each kind of factor.' },
              ),
              hours: Type.Array(HourOfActivity),
            }),
          }),
        },
      },
    },
    async ({ caller }) => {
      requireAdministrator(caller);
      await activity.flush();
      const sessions = await activity.countSessions();
      const factors = await countPeopleByFactor(context.database.db);
      return { data: { sessions, factors, hours: await activity.hours() } };
    },
  );
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
      requireAdministrator(caller);
      // The response reveals settings and paths.
      if (!caller.scopes.includes('*')) throw insufficientScope('*');
      return { data: await diagnose() };
    },
  );
}

function requireAdministrator(caller: Caller): void {
  if (!isAdmin(caller)) throw forbidden('The overview is for administrators.');
}
