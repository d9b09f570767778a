import { Alert, TextField } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, type FormEvent, useEffect, useState } from 'react';
import { proofPrompt, root, signInPrompt } from '../data/api.ts';
import { humanizeName } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { ConfirmDialog } from '../widgets/ConfirmDialog.tsx';

/** Dialogs that ask for a sign-in or a proof, above the current page. */
export default function PromptDialogs({ isSignedOut, needsProof }: { isSignedOut: boolean; needsProof: boolean }) {
  return (
    <>
      {isSignedOut && <SignInDialog />}
      {needsProof && <ProofDialog />}
    </>
  );
}

/** Asks for a new sign-in when the session has ended. */
function SignInDialog() {
  // Also continues after a sign-in in another tab.
  useEffect(() => {
    const resume = () => void signInPrompt.resume().catch(() => undefined);
    window.addEventListener('focus', resume);
    return () => window.removeEventListener('focus', resume);
  }, []);
  return (
    <Prompt
      title={translate('Sign in again')}
      cancel={translate('Leave the console')}
      onClose={signInPrompt.abandon}
      confirm={translate('Sign in')}
      keepsOpen={{ current: true }}
      text={translate('Your session has ended. Sign in to continue. Nothing that you typed is lost.')}
      send={async ({ login = '', password = '' }) => {
        const refusal = await signInByPage(login, password);
        if (refusal === undefined) await signInPrompt.resume();
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

/** Asks for the password or a code when the service requires a recent proof. */
function ProofDialog() {
  const { data: methods = ['password'] } = useQuery({ queryKey: ['proof-methods'], queryFn: proofPrompt.methods });
  return (
    <Prompt
      title={translate('Confirm that it’s you')}
      confirm={translate('Confirm')}
      onClose={proofPrompt.cancel}
      text={translate('This needs a recent confirmation. Your work here is kept.')}
      send={async (proof) => {
        const refusal = await proofPrompt.prove(proof);
        return refusal && translate(refusal);
      }}
    >
      {methods.map((name, i) => (
        <TextField
          key={name}
          name={name}
          label={translate(humanizeName(name))}
          type={name === 'password' ? 'password' : 'text'}
          autoComplete={name === 'password' ? 'current-password' : 'one-time-code'}
          autoFocus={i === 0}
        />
      ))}
    </Prompt>
  );
}

interface Props extends Omit<ComponentProps<typeof ConfirmDialog>, 'form' | 'maxWidth' | 'busy'> {
  /** Sends the typed values. Returns the reason if they are rejected. */
  send: (values: Record<string, string>) => Promise<string | undefined>;
}

/** A dialog that asks who the person is, above the current page. */
function Prompt({ send, children, ...dialog }: Props) {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // React passes events to the React parents of the dialog, which may include another form.
    event.stopPropagation();
    const values = [...new FormData(event.currentTarget)].filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '',
    );
    setBusy(true);
    const unreachable = () => translate('The service cannot be reached. Try again.');
    setProblem(await send(Object.fromEntries(values)).catch(unreachable));
    setBusy(false);
  }

  return (
    <ConfirmDialog
      {...dialog}
      maxWidth="xs"
      busy={busy}
      form={(content) => (
        <form onSubmit={(event) => void submit(event)} noValidate>
          {content}
        </form>
      )}
    >
      {problem && <Alert severity="error">{problem}</Alert>}
      {children}
    </ConfirmDialog>
  );
}
