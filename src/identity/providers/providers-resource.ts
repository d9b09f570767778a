import { forAdministrators } from '../../resources/declaration/access.ts';
import { defineResource } from '../../resources/declaration/define-resource.ts';
import { boolean, oneOf, text, timestamp } from '../../resources/declare.ts';
import { failureCodes } from './provider-failure.ts';

const shown = { required: true, readOnly: true } as const;

/** The declared providers and how the last sign-ins with them went, for administrators. */
export const providersResource = defineResource({
  name: 'providers',
  description: 'Identity providers that people sign in with, and how the last sign-ins went on any instance.',
  managed: false,
  mcp: false,
  versioned: false,
  idType: 'text',
  fields: {
    label: text({ ...shown, max: 200, searchable: true, description: 'The name on the button.', example: 'Google' }),
    issuer: text({ ...shown, max: 2000, searchable: true, example: 'https://accounts.google.com' }),
    client_id: text({ ...shown, max: 2000, description: 'What the provider calls this service.' }),
    redirect_uri: text({ ...shown, max: 2000, description: 'What is registered at the provider.' }),
    enabled: boolean({ ...shown, searchable: true }),
    secret_expires_at: timestamp({ readOnly: true, description: 'Where it is declared, or the secret says so.' }),
    last_success_at: timestamp({ readOnly: true }),
    last_failure_at: timestamp({ readOnly: true }),
    failure: oneOf(failureCodes, { readOnly: true, description: 'Why the last failed sign-in failed.' }),
    failure_detail: text({ readOnly: true, max: 300, description: 'What the provider or the library said.' }),
    created_at: timestamp(shown),
  },
  access: { read: forAdministrators('Providers are for administrators.'), write: 'nobody' },
  operations: ['list', 'find'],
  defaultOrder: 'id',
});
