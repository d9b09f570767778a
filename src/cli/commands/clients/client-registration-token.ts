import type { Command } from 'commander';
import { openKeyRing } from '../../../crypto/key-ring.ts';
import { OperatorError } from '../../../errors.ts';
import { recordEvent } from '../../../events/record-event.ts';
import { systemSource } from '../../../http/request-source.ts';
import { makeInitialToken } from '../../../oauth/registration/registration-tokens.ts';
import { withContext } from '../../operator/with-context.ts';

const longestHours = 720;

export function addClientRegistrationToken(client: Command): void {
  client
    .command('registration-token')
    .description('Make a token with which applications register themselves, where DYNAMIC_CLIENTS is token.')
    .option('--hours <hours>', `how long it is good, for whoever has it (1 to ${longestHours})`, '24')
    .addHelpText('after', '\nExamples:\n  gatehouse client registration-token --hours 1')
    .action(async ({ hours }: { hours: string }) => console.log(await make(hours)));
}

const make = (hours: string): Promise<string> =>
  withContext(async (context) => {
    const life = /^\d{1,3}$/.test(hours) ? Number(hours) : 0;
    if (life < 1 || life > longestHours)
      throw new OperatorError(`--hours takes a whole number from 1 to ${longestHours}.`);
    const keys = await openKeyRing(context);
    const expiresAt = context.now() + life * 3_600_000;
    const data = { expires_at: new Date(expiresAt).toISOString() };
    const event = { type: 'client.registration_token_created', source: systemSource, data };
    await recordEvent(context, context.database.db, event);
    return makeInitialToken(keys, expiresAt);
  });
