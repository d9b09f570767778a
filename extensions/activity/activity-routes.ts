import { Type } from 'typebox';
import type { Context } from '../../src/database/context.ts';
import type { App } from '../../src/http/app.ts';
import { isAdmin } from '../../src/platform/caller.ts';
import { forbidden } from '../../src/platform/errors.ts';
import type { Activity } from './activity.ts';
import { countPeopleByFactor } from './activity-store.ts';

const count = Type.Optional(Type.Integer());
const HourOfActivity = Type.Object({
  at: Type.String({ format: 'date-time', description: 'The beginning of the hour.' }),
  sign_ins: count,
  failures: count,
  registrations: count,
  tokens: count,
  sessions: Type.Optional(Type.Integer({ description: 'The number of live sessions.' })),
});

/** The recent activity of the service, for administrators. */
export function serveActivity(app: App, { database }: Context, activity: Activity): void {
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
      if (!isAdmin(caller)) throw forbidden('The overview is for administrators.');
      await activity.flush();
      const sessions = await activity.countSessions();
      const factors = await countPeopleByFactor(database.db);
      return { data: { sessions, factors, hours: await activity.hours() } };
    },
  );
}
