import { Alert, TextField, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { proofPrompt } from '../data/api.ts';
import { humanised } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { AskDialog } from '../widgets/AskDialog.tsx';

/** Asks for the password or a code when the service requires a recent proof. */
export default function ProofDialog() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { data: methods = ['password'] } = useQuery({ queryKey: ['proof-methods'], queryFn: proofPrompt.methods });

  async function prove(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // React passes events to the React parents of the dialog, which may include another form.
    event.stopPropagation();
    const given = [...new FormData(event.currentTarget)].filter(([, value]) => value !== '');
    setBusy(true);
    try {
      const refusal = await proofPrompt.prove(Object.fromEntries(given));
      setProblem(refusal && say(refusal));
    } catch {
      setProblem(say('The service cannot be reached. Try again.'));
    }
    setBusy(false);
  }

  return (
    <AskDialog
      title={say('Confirm that it’s you')}
      confirm={say('Confirm')}
      busy={busy}
      maxWidth="xs"
      onClose={proofPrompt.cancel}
      form={(content) => (
        <form onSubmit={(event) => void prove(event)} noValidate>
          {content}
        </form>
      )}
    >
      <Typography sx={{ color: 'text.secondary', mb: 1 }}>
        {say('This needs a recent confirmation. Your work here is kept.')}
      </Typography>
      {problem && <Alert severity="error">{problem}</Alert>}
      {methods.map((name, i) => (
        <TextField
          key={name}
          name={name}
          label={say(humanised(name))}
          type={name === 'password' ? 'password' : 'text'}
          autoComplete={name === 'password' ? 'current-password' : 'one-time-code'}
          autoFocus={i === 0}
        />
      ))}
    </AskDialog>
  );
}
