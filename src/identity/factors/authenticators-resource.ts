import encodeQR from 'qr';
import { Type } from 'typebox';
import { readBrand } from '../../config/brand.ts';
import type { Config } from '../../config/config.ts';
import type { Tx } from '../../database/database.ts';
import { authenticatorLabel } from '../../database/keys/sealed-columns.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { userIdOf } from '../../platform/caller.ts';
import { conflict, unprocessable } from '../../platform/errors.ts';
import { anyOf, ownRows, role } from '../../resources/declaration/access.ts';
import { action, defineResource } from '../../resources/declaration/define-resource.ts';
import { belongsTo } from '../../resources/declaration/relations.ts';
import { proofBody } from '../../resources/declaration/step-up.ts';
import { computed, reference, text, timestamp } from '../../resources/declare.ts';
import { findUser, type UserRow } from '../accounts/user-store.ts';
import { readAuthenticatorSecret, unreadableAuthenticator } from './authenticator-secret.ts';
import {
  confirmWithStep,
  deleteAuthenticator,
  deleteUnconfirmed,
  findAuthenticator,
  insertAuthenticator,
} from './authenticator-store.ts';
import {
  cleanUpAfterLastFactor,
  type FactorServices,
  recordFactorRow,
  requireSecondFactors,
} from './factor-services.ts';
import { makeRecoveryCodes } from './recovery-code-store.ts';
import { makeTotpSecret, otpauthUri, stepOfCode } from './totp.ts';

const fields = {
  user_id: reference('users', { required: true, readOnly: true, searchable: true, onDelete: 'cascade' }),
  name: text({ default: 'Authenticator app', max: 100 }),
  confirmed: computed(
    { as: 'boolean', from: ['confirmed_at'], description: 'Whether the first code has confirmed the app' },
    ({ confirmed_at }) => confirmed_at !== null,
  ),
  created_at: timestamp({ required: true, readOnly: true, sortable: true }),
  confirmed_at: timestamp({ hidden: true }),
  last_used_at: timestamp({ readOnly: true, sortable: true }),
};

const created = Type.Object({
  secret: Type.String({ description: 'The secret in base32, to type into an app. Shown only in this response' }),
  uri: Type.String({ description: 'The otpauth:// URI, for an app on the same device' }),
  qr: Type.String({ description: 'the URI as a QR code: an SVG as a data URI' }),
});

const codes = Type.Object({ recovery_codes: Type.Array(Type.String()) });
const confirmation = Type.Object({ code: Type.String({ description: 'the code that the app shows' }) });

/** The three ways to set up an app: type the secret, follow a link on the same device, or scan the QR code. */
export function setUpOf(config: Config, user: UserRow | undefined, secret: string) {
  const account = user?.email ?? user?.username ?? user?.phone ?? '';
  const uri = otpauthUri({ secret, issuer: readBrand(config).name, account });
  const svg = encodeQR(uri, 'svg', { ecc: 'medium', border: 2 });
  return { secret, uri, qr: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
}

/** Apps that show a new code every thirty seconds (RFC 6238). */
export function authenticatorsResource(services: FactorServices) {
  const { context, keys } = services;

  return defineResource({
    name: 'authenticators',
    singular: 'authenticator',
    description: 'Authenticator apps. An app is enabled by its first code.',
    managed: false,
    mcp: false,
    fields,
    relations: { user: belongsTo('users', { by: 'user_id' }) },
    access: { read: anyOf(role('admin'), ownRows), write: ownRows, delete: anyOf(role('admin'), ownRows) },
    operations: ['list', 'find', 'create', 'delete'],
    reveals: created,
    deleteBody: proofBody,
    defaultOrder: '-id',
    async create(call, values) {
      const { tx, caller, now } = call;
      requireSecondFactors(context);
      await services.guardChange(tx, caller);
      const userId = userIdOf(caller);
      const user = await findUser(tx as Tx, userId);
      const id = uuidv7(now);
      const secret = makeTotpSecret();
      // An unfinished setup is of no use.
      await deleteUnconfirmed(tx, userId);
      const sealed_secret = keys.seal(secret, authenticatorLabel(id));
      const { name = '' } = values;
      await insertAuthenticator(tx, { id, user_id: userId, name, sealed_secret, created_at: now, confirmed_at: null });
      call.reveal(setUpOf(context.config, user, secret));
      return id;
    },
    async remove(call, row) {
      await services.guardChange(call.tx, call.caller, row.user_id);
      await deleteAuthenticator(call.tx, row.id);
      if (!row.confirmed) return;
      await cleanUpAfterLastFactor(call.tx, row.user_id);
      await recordFactorRow(services, call, 'authenticator', 'removed', row);
    },
    actions: [
      action<typeof confirmation, typeof fields>({
        name: 'confirmations',
        summary: 'Enable an authenticator app with its first code; the response shows new recovery codes once',
        body: confirmation,
        response: codes,
        run: ({ row, body, transaction }) =>
          transaction(async (call) => {
            const { tx, now } = call;
            requireSecondFactors(context);
            await services.guardChange(tx, call.caller);
            const stored = await findAuthenticator(tx, row.id);
            // Checked before the code: otherwise this response would allow unlimited guesses.
            if (stored?.confirmed_at != null) throw alreadyConfirmed();
            if (!stored) throw wrongCode();
            const secret = readAuthenticatorSecret(services, stored);
            if (secret === undefined) throw unreadableAuthenticator();
            const step = stepOfCode(secret, String(body.code).replaceAll(' ', ''), now);
            if (step === undefined) throw wrongCode();
            if (!(await confirmWithStep(tx, row.id, { step, sessionId: call.caller.sessionId, now })))
              throw alreadyConfirmed();
            await recordFactorRow(services, call, 'authenticator', 'added', row);
            return { recovery_codes: await makeRecoveryCodes(context, tx, row.user_id) };
          }),
      }),
    ],
  });
}

const alreadyConfirmed = () => conflict('This authenticator app is already enabled.', 'already_confirmed');

const wrongCode = () =>
  unprocessable([{ field: 'code', code: 'wrong', message: 'This is not the code that the app shows now.' }]);
