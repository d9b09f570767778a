import type { Config, LoginAttribute } from '../../config.ts';

interface IdentifierField {
  readonly name: LoginAttribute;
  readonly label: string;
  readonly type: string;
  readonly hint?: string;
  readonly autocomplete: string;
  readonly optional: boolean;
}

const fields: readonly Omit<IdentifierField, 'optional'>[] = [
  { name: 'email', label: 'Email', type: 'email', autocomplete: 'email' },
  { name: 'username', label: 'Username', type: 'text', autocomplete: 'username' },
  {
    name: 'phone',
    label: 'Phone',
    type: 'tel',
    autocomplete: 'tel',
    hint: 'With the country code, such as +44 20 7946 0000.',
  },
];

/**
 * The fields that identify a person: all that one can sign in with, and the email address, without which a forgotten
 * password is lost. Only the main one must be filled in.
 */
export function identifierFields({ loginAttributes }: Config): IdentifierField[] {
  const main = loginAttributes.includes('email') ? 'email' : loginAttributes[0];
  return fields
    .filter(({ name }) => name === 'email' || loginAttributes.includes(name))
    .map((field) => ({ ...field, optional: field.name !== main }));
}

/** How the login page asks for whichever of them is enabled. */
export function loginField({ loginAttributes }: Config): { login_label: string; login_type: string } {
  const labels = fields.filter(({ name }) => loginAttributes.includes(name)).map(({ label }) => label.toLowerCase());
  const all = new Intl.ListFormat('en', { type: 'disjunction' }).format(labels);
  const label = all.charAt(0).toUpperCase() + all.slice(1);
  return { login_label: label, login_type: loginAttributes.join() === 'email' ? 'email' : 'text' };
}
