import type { Command } from 'commander';
import { systemSource } from '../../../http/request-source.ts';
import { findHeldFactors } from '../../../identity/factors/held-factor-store.ts';
import { removeFactors } from '../../../identity/factors/remove-factors.ts';
import { findUserByText } from '../../operator/find-user.ts';
import { withContext } from '../../operator/with-context.ts';
import { printFields } from '../../terminal/print.ts';

export function addUserFactors(user: Command): void {
  user
    .command('factors')
    .description(
      'Show which factors a user has, or remove them from a user who lost them. The user gets a notification by email.',
    )
    .argument('<user>', 'an email, a username, a phone number or an id')
    .option('--remove', 'remove all but the password')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  gatehouse user factors ada@example.com')
    .action(async (text: string, { remove, json }: { remove?: boolean; json?: boolean }) => {
      if (!remove) return printFields(await show(text), json);
      await removeAll(text);
      console.log(`The factors of ${text} are removed, except the password.`);
    });
}

const show = (text: string) =>
  withContext(async (context) => {
    const { id } = await findUserByText(context, text);
    const held = await findHeldFactors(context.database.db, id);
    return {
      passkeys: held.passkeys + held.automaticPasskeys,
      authenticators: held.authenticators,
      recovery_codes: held.recoveryCodes,
    };
  });

const removeAll = (text: string) =>
  withContext(async (context) => {
    const { createServices } = await import('../../../main/services.ts');
    const { factors } = await createServices(context);
    const { id: userId } = await findUserByText(context, text);
    const removal = { userId, actorId: null, source: systemSource };
    await context.database.db.transaction().execute((tx) => removeFactors(factors, tx, removal));
  });
