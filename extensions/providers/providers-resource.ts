import { forAdministrators } from '../../src/resources/declaration/access.ts';
import { defineResource } from '../../src/resources/declaration/define-resource.ts';
import { boolean, oneOf, text, timestamp } from '../../src/resources/declare.ts';
import { failureCodes } from './client/failure-meanings.ts';

const shown = { required: true, readOnly: true } as const;

/** The declared providers and the results of the last sign-ins with them, for administrators. */
export const providersResource = defineResource({
  name: 'providers',
  description: 'Identity providers, with the result of the last sign-ins on all instances.',
  managed: false,
  mcp: false,
  versioned: false,
  idType: 'text',
  fields: {
    label: text({ ...shown, max: 200, searchable: true, description: 'The name on the button.', example: 'Google' }),
    issuer: text({ ...shown, max: 2000, searchable: true, example: 'https://accounts.google.com' }),
    client_id: text({ ...shown, max: 2000, description: 'The client_id of this service at the provider.' }),
    redirect_uri: text({ ...shown, max: 2000, description: 'The redirect URI to register at the provider.' }),
    enabled: boolean({ ...shown, searchable: true }),
    secret_expires_at: timestamp({
      readOnly: true,
      description: 'The expiry of the secret, if the declaration or the secret contains it.',
    }),
    last_success_at: timestamp({ readOnly: true }),
    last_failure_at: timestamp({ readOnly: true }),
    failure: oneOf(failureCodes, { readOnly: true, description: 'The reason of the last failure.' }),
    failure_detail: text({ readOnly: true, max: 300, description: 'The message of the provider or the library.' }),
    created_at: timestamp(shown),
  },
  access: { read: forAdministrators('Providers are for administrators.'), write: 'nobody' },
  operations: ['list', 'find'],
  defaultOrder: 'id',
});
