import { TextField } from '@mui/material';
import { useEffect } from 'react';
import { interruption, root } from '../data/api.ts';
import { say } from '../text/say.ts';
import { Prompt } from './Prompt.tsx';

/** Asks for a new sign-in when the session has ended. */
export default function SignInDialog() {
  // Also continues after a sign-in in another tab.
  useEffect(() => {
    const look = () => void interruption.goOn().catch(() => undefined);
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
  return (
    <Prompt
      title={say('Sign in again')}
      cancel={say('Leave the console')}
      onClose={interruption.giveUp}
      confirm={say('Sign in')}
      keeps={{ current: true }}
      text={say('Your session has ended. Sign in to continue. Nothing that you typed is lost.')}
      send={async ({ login = '', password = '' }) => {
        const refusal = await signInByPage(root, login, password);
        if (refusal === undefined) await interruption.goOn();
        return refusal;
      }}
    >
      <TextField name="login" label={say('Email or login name')} autoComplete="username" autoFocus required />
      <TextField name="password" label={say('Password')} type="password" autoComplete="current-password" required />
    </Prompt>
  );
}

/** Signs in with the form of the login page, which the operator may have changed. Returns the reason if it is refused. */
async function signInByPage(root: string, login: string, password: string): Promise<string | undefined> {
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
  const answer = await fetch(action, { method: 'POST', body: fields, redirect: 'manual' });
  if (answer.type === 'opaqueredirect' || answer.ok) return undefined;
  return (
    refusalIn(documentOf(await answer.text())) ??
    say('The login page answers with {status}.', { status: answer.status })
  );
}

const documentOf = (html: string): Document => new DOMParser().parseFromString(html, 'text/html');

function refusalIn(page: Document): string | undefined {
  const said = page.querySelector('[role="alert"], .error')?.textContent ?? '';
  return said.replace(/\s+/g, ' ').trim() || undefined;
}
