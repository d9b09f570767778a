import { type Command, InvalidArgumentError } from 'commander';
import { systemSource } from '../../../http/request-source.ts';
import { makeInitialToken } from '../../../oauth/registration/registration-tokens.ts';
import { recordEvent } from '../../../resources/audit/record-event.ts';
import { withContext } from '../../operator/with-context.ts';

const longestHours = 720;

export function addClientRegistrationToken(client: Command): void {
  client
    .command('registration-token')
    .description('Create a token that lets applications register themselves, if DYNAMIC_CLIENTS is token.')
    .option(
      '--hours <hours>',
      `the number of hours for which anybody can use the token (1 to ${longestHours})`,
      readHours,
      24,
    )
    .addHelpText('after', '\nExamples:\n  gatehouse client registration-token --hours 1')
    .action(async ({ hours }: { hours: number }) => console.log(await make(hours)));
}

function readHours(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= longestHours) return Number(text);
  throw new InvalidArgumentError(`It takes a whole number from 1 to ${longestHours}.`);
}

const make = (hours: number): Promise<string> =>
  withContext(async (context) => {
    const expiresAt = context.now() + hours * 3_600_000;
    const data = { expires_at: new Date(expiresAt).toISOString() };
    const event = { type: 'client.registration_token_created', source: systemSource, data };
    await recordEvent(context, context.database.db, event);
    return makeInitialToken(context, expiresAt);
  });
