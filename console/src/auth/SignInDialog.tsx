import { TextField } from '@mui/material';
import { useEffect } from 'react';
import { interruption, root } from '../data/api.ts';
import { translate } from '../text/translate.ts';
import { Prompt } from './Prompt.tsx';

/** Asks for a new sign-in when the session has ended. */
export default function SignInDialog() {
  // Also continues after a sign-in in another tab.
  useEffect(() => {
    const resume = () => void interruption.resume().catch(() => undefined);
    window.addEventListener('focus', resume);
    return () => window.removeEventListener('focus', resume);
  }, []);
  return (
    <Prompt
      title={translate('Sign in again')}
      cancel={translate('Leave the console')}
      onClose={interruption.abandon}
      confirm={translate('Sign in')}
      keeps={{ current: true }}
      text={translate('Your session has ended. Sign in to continue. Nothing that you typed is lost.')}
      send={async ({ login = '', password = '' }) => {
        const refusal = await signInByPage(login, password);
        if (refusal === undefined) await interruption.resume();
        return refusal;
      }}
    >
      <TextField name="login" label={translate('Email or login name')} autoComplete="username" autoFocus required />
      <TextField
        name="password"
        label={translate('Password')}
        type="password"
        autoComplete="current-password"
        required
      />
    </Prompt>
  );
}

/** Signs in with the form of the login page, which the operator may have changed. Returns the reason if it is rejected. */
async function signInByPage(login: string, password: string): Promise<string | undefined> {
  const page = await fetch(`${root}/login`, { headers: { Accept: 'text/html' } });
  const form = documentOf(await page.text()).querySelector<HTMLFormElement>('form:has([name="password"])');
  // Without a form, the person has signed in in another tab, and the login page has redirected.
  if (!form) return undefined;
  const fields = new URLSearchParams();
  for (const { name, value } of form.querySelectorAll<HTMLInputElement>('input[type="hidden"]'))
    fields.set(name, value);
  fields.set('login', login);
  fields.set('password', password);
  const action = new URL(form.getAttribute('action') ?? page.url, page.url);
  const response = await fetch(action, { method: 'POST', body: fields, redirect: 'manual' });
  if (response.type === 'opaqueredirect' || response.ok) return undefined;
  const refusal = documentOf(await response.text()).querySelector('[role="alert"], .error')?.textContent ?? '';
  const { status } = response;
  return refusal.replace(/\s+/g, ' ').trim() || translate('The login page answers with {status}.', { status });
}

const documentOf = (html: string): Document => new DOMParser().parseFromString(html, 'text/html');
