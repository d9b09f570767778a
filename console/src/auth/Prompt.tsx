import { Alert, Typography } from '@mui/material';
import { type ComponentProps, type FormEvent, useState } from 'react';
import { translate } from '../text/translate.ts';
import { ConfirmDialog } from '../widgets/ConfirmDialog.tsx';

interface Props extends Omit<ComponentProps<typeof ConfirmDialog>, 'form' | 'maxWidth' | 'busy'> {
  text: string;
  /** Sends the typed values. Returns the reason if they are rejected. */
  send: (values: Record<string, string>) => Promise<string | undefined>;
}

/** A dialog that asks who the person is, above the current page. */
export function Prompt({ text, send, children, ...dialog }: Props) {
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
      <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text}</Typography>
      {problem && <Alert severity="error">{problem}</Alert>}
      {children}
    </ConfirmDialog>
  );
}
