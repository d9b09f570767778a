import type { CreateExtension } from '../../src/main/extension.ts';
import { Activity } from './activity.ts';
import { serveActivity } from './activity-routes.ts';

/** The counts of sign-ins, tokens and sessions per hour, which the console shows. */
export const createExtension: CreateExtension = (context) => {
  const activity = new Activity(context);
  return {
    serve(app) {
      serveActivity(app, context, activity);
      // An unreachable database must not prevent the service from stopping.
      app.addHook('onClose', () =>
        activity
          .flush()
          .catch((error) => context.log.warn({ err: error }, 'the last activity counts could not be written')),
      );
    },
    maintenance: [
      { name: 'activity', everyMs: 10_000, run: () => activity.flush() },
      { name: 'live sessions and old activity', everyMs: 600_000, run: () => activity.maintain() },
    ],
  };
};
