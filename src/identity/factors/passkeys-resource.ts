import { Type } from 'typebox';
import { userIdOf } from '../../platform/caller.ts';
import { conflict, unprocessable } from '../../platform/errors.ts';
import { isObject } from '../../platform/is-object.ts';
import { anyOf, ownRows, role } from '../../resources/declaration/access.ts';
import { defineResource } from '../../resources/declaration/define-resource.ts';
import { belongsTo } from '../../resources/declaration/relations.ts';
import { proofBody } from '../../resources/declaration/step-up.ts';
import { boolean, json, list, reference, text, timestamp } from '../../resources/declare.ts';
import { lockSignInMethods } from '../providers/identity-store.ts';
import { requireSignInMethod } from '../providers/sign-in-methods.ts';
import { countHeldFactors } from './factor-count-store.ts';
import { cleanUpAfterLastFactor, type FactorServices, recordFactorRow } from './factor-services.ts';
import { deletePasskey } from './passkey-store.ts';
import { type NewPasskey, readNewPasskey, storePasskey } from './passkeys.ts';
import { makeRecoveryCodes } from './recovery-code-store.ts';

const fields = {
  user_id: reference('users', { required: true, readOnly: true, searchable: true, onDelete: 'cascade' }),
  name: text({ default: 'Passkey', max: 100 }),
  passkey: json({
    virtual: true,
    writeOnly: true,
    immutable: true,
    requiredToCreate: true,
    max: 16_384,
    description: 'The result of navigator.credentials.create, as JSON (RegistrationResponseJSON)',
    example: {},
  }),
  credential_id: text({
    readOnly: true,
    required: true,
    max: 1400,
    description: 'The WebAuthn credential ID, in base64url',
  }),
  transports: list({ readOnly: true, required: true }),
  backup_eligible: boolean({
    readOnly: true,
    default: false,
    description: 'Whether a password manager may copy it to other devices',
  }),
  backed_up: boolean({ readOnly: true, default: false, description: 'Whether it has been copied' }),
  automatic: boolean({
    readOnly: true,
    default: false,
    description:
      'The browser created the passkey automatically after a password login. The password alone still signs in',
  }),
  created_at: timestamp({ required: true, readOnly: true, sortable: true }),
  last_used_at: timestamp({ readOnly: true, sortable: true }),
};

const codes = Type.Object({
  recovery_codes: Type.Optional(
    Type.Array(Type.String(), { description: 'Only with the first factor. Shown only in this response' }),
  ),
});

const message = 'The passkey was not created for this service, this user and this challenge.';
const wrongPasskey = () => unprocessable([{ field: 'passkey', code: 'wrong', message }]);

/** Passkeys (WebAuthn): a key on a device or in a password manager that signs in without a password. */
export function passkeysResource(services: FactorServices) {
  const { context } = services;
  const read = new WeakMap<object, NewPasskey>();

  return defineResource({
    name: 'passkeys',
    description: 'Passkeys. `POST /v1/passkey-challenges` returns the options that the browser needs to create one.',
    managed: false,
    mcp: false,
    fields,
    relations: { user: belongsTo('users', { by: 'user_id' }) },
    access: { read: anyOf(role('admin'), ownRows), write: ownRows, delete: anyOf(role('admin'), ownRows) },
    operations: ['list', 'find', 'create', 'update', 'delete'],
    reveals: codes,
    deleteBody: proofBody,
    defaultOrder: '-id',
    hooks: {
      /** Signatures are checked outside of the transaction. */
      async prepare({ caller }, { operation, values }) {
        if (operation !== 'create') return undefined;
        const created = await readNewPasskey(services, userIdOf(caller), values.passkey);
        if (!created || !isObject(values.passkey)) throw wrongPasskey();
        read.set(values.passkey, created);
        return undefined;
      },
      async beforeWrite({ tx, caller }, { operation }) {
        if (operation === 'update') await services.guardChange(tx, caller);
      },
    },
    async create(call, values) {
      const { tx, caller } = call;
      await services.guardChange(tx, caller);
      const created = isObject(values.passkey) ? read.get(values.passkey) : undefined;
      if (!created) throw wrongPasskey();
      const userId = userIdOf(caller);
      // With MFA=off, a passkey is no second factor, and no sign-in asks for a recovery code.
      const isFactor = context.config.mfa !== 'off' && !created.row.automatic;
      const isFirst = isFactor && (await countHeldFactors(tx, userId)).recoveryCodes === 0;
      if (!(await storePasskey(tx, created, { name: values.name ?? '', session_id: caller.sessionId }))) {
        throw conflict('This passkey is already registered, or its challenge was already used.', 'passkey_used');
      }
      await recordFactorRow(services, call, 'passkey', 'added', { id: created.row.id, user_id: userId });
      if (isFirst) call.reveal({ recovery_codes: await makeRecoveryCodes(context, tx, userId) });
      return created.row.id;
    },
    async remove(call, row) {
      await services.guardChange(call.tx, call.caller, row.user_id);
      await lockSignInMethods(call.tx, row.user_id);
      await deletePasskey(call.tx, row.id);
      await requireSignInMethod(context, call.tx, row.user_id);
      await cleanUpAfterLastFactor(call.tx, row.user_id);
      await recordFactorRow(services, call, 'passkey', 'removed', row);
    },
  });
}
