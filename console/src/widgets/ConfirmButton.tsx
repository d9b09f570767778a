import { Button } from '@mui/material';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { useTask } from './useTask.ts';

interface Props {
  label: string;
  title: string;
  text: ReactNode;
  /** The message after success. */
  done: string;
  run: () => Promise<unknown>;
  danger?: boolean;
  /** The name with which the command palette opens the dialog: `?act=…`. */
  act?: string;
}

/** Whether the URL requests to open an action. */
export const isRequestedInUrl = (act: string | undefined): boolean =>
  act !== undefined && new URLSearchParams(location.search).get('act') === act;

/** A button that opens a confirmation with an explanation. */
export function ConfirmButton({ label, title, text, done, run, danger = false, act }: Props) {
  const [open, setOpen] = useState(isRequestedInUrl(act));
  const task = useTask();
  const confirmed = async () => {
    if (await task.run(run, done)) setOpen(false);
  };
  return (
    <>
      <Button
        variant="outlined"
        size="small"
        color={danger ? 'error' : 'primary'}
        onClick={() => setOpen(true)}
        sx={{ flexShrink: 0, whiteSpace: 'nowrap' }}
      >
        {label}
      </Button>
      {open && (
        <ConfirmDialog
          {...{ title, danger, confirm: label, busy: task.busy }}
          onClose={() => setOpen(false)}
          onConfirm={() => void confirmed()}
        >
          {text}
        </ConfirmDialog>
      )}
    </>
  );
}
