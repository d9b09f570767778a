import type { Config } from '../../config/config.ts';
import { type LocalizedText, message } from '../../config/languages/message.ts';

const phoneHint = message('fields.phone_hint');
const fields = [
  { name: 'email', label: message('fields.email'), type: 'email', autocomplete: 'email' },
  { name: 'username', label: message('fields.username'), type: 'text', autocomplete: 'username' },
  { name: 'phone', label: message('fields.phone'), type: 'tel', autocomplete: 'tel', hint: phoneHint },
] as const;

/** The fields of the identifiers, and of the email for a forgotten password. Only the main identifier is required. */
export function identifierFields({ loginAttributes }: Config) {
  const main = loginAttributes.includes('email') ? 'email' : loginAttributes[0];
  return fields
    .filter(({ name }) => name === 'email' || loginAttributes.includes(name))
    .map((field) => ({ ...field, optional: field.name !== main }));
}

/** The login field for the enabled identifiers. The message key lists them in a fixed order. */
export function loginField({ loginAttributes }: Config) {
  const names = fields.map(({ name }) => name).filter((name) => loginAttributes.includes(name));
  const login_type = loginAttributes.join() === 'email' ? 'email' : 'text';
  return { login_label: message(`login.by.${names.join('_')}`), login_type };
}

/** What a rejected form shows again. */
export interface RejectedForm {
  readonly values?: Readonly<Record<string, string>>;
  readonly errors?: Readonly<Record<string, LocalizedText>>;
  readonly problem?: LocalizedText;
}

/** The identifier fields, with their typed values and errors. */
export const filledFields = (
  config: Config,
  values: Readonly<Record<string, string | null>>,
  errors: Readonly<Record<string, LocalizedText>>,
) => identifierFields(config).map((field) => ({ ...field, value: values[field.name], error: errors[field.name] }));
