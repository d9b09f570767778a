import { Alert, TextField, Typography } from '@mui/material';
import { type FormEvent, useEffect, useState } from 'react';
import { interruption, root } from '../data/api.ts';
import { say } from '../text/say.ts';
import { AskDialog } from '../widgets/AskDialog.tsx';
import { signInByPage } from './sign-in-form.ts';

/** Asks for a new sign-in when the session has ended. */
export default function SignInDialog() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  // Also continues after a sign-in in another tab.
  useEffect(() => {
    const look = () => void interruption.goOn().catch(() => undefined);
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // React passes events to the React parents of the dialog, which may include another form.
    event.stopPropagation();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    try {
      const refusal = await signInByPage(root, String(form.get('login')), String(form.get('password')));
      if (refusal === undefined) await interruption.goOn();
      setProblem(refusal);
    } catch {
      setProblem(say('The service cannot be reached. Try again.'));
    }
    setBusy(false);
  }

  return (
    <AskDialog
      title={say('Sign in again')}
      cancel={say('Leave the console')}
      onClose={interruption.giveUp}
      confirm={say('Sign in')}
      disabled={busy}
      maxWidth="xs"
      keeps={{ current: true }}
      form={(content) => (
        <form onSubmit={(event) => void signIn(event)} noValidate>
          {content}
        </form>
      )}
    >
      <Typography sx={{ color: 'text.secondary', mb: 1 }}>
        {say('Your session has ended. Sign in to continue. Nothing that you typed is lost.')}
      </Typography>
      {problem && <Alert severity="error">{problem}</Alert>}
      <TextField name="login" label={say('Email or login name')} autoComplete="username" autoFocus required />
      <TextField name="password" label={say('Password')} type="password" autoComplete="current-password" required />
    </AskDialog>
  );
}
