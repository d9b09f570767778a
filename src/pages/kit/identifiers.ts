import type { Config } from '../../config/config.ts';
import { type Message, message } from '../../config/languages/message.ts';

const fields = [
  { name: 'email', label: message('fields.email'), type: 'email', autocomplete: 'email' },
  { name: 'username', label: message('fields.username'), type: 'text', autocomplete: 'username' },
  {
    name: 'phone',
    label: message('fields.phone'),
    type: 'tel',
    autocomplete: 'tel',
    hint: message('fields.phone_hint'),
  },
] as const;

/** The fields of the identifiers, and of the email for a forgotten password. Only the main identifier is required. */
export function identifierFields({ loginAttributes }: Config) {
  const main = loginAttributes.includes('email') ? 'email' : loginAttributes[0];
  return fields
    .filter(({ name }) => name === 'email' || loginAttributes.includes(name))
    .map((field) => ({ ...field, optional: field.name !== main }));
}

/** The login field for the enabled identifiers. The message key lists them in a fixed order. */
export function loginField(config: Config): { login_label: Message; login_type: string } {
  const { loginAttributes } = config;
  return {
    login_label: message(`login.by.${attributesOf(config)}`),
    login_type: loginAttributes.join() === 'email' ? 'email' : 'text',
  };
}

/** For example `email_phone`. */
const attributesOf = ({ loginAttributes }: Config): string =>
  fields
    .map(({ name }) => name)
    .filter((name) => loginAttributes.includes(name))
    .join('_');

/** The hint that names the fields whose change requires the password. */
export const passwordHint = (config: Config): Message =>
  message(
    `profile.password_for.${identifierFields(config)
      .map(({ name }) => name)
      .join('_')}`,
  );
