import type { ReactNode } from 'react';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { DialogButton } from './DialogButton.tsx';
import { useTask } from './useTask.ts';

interface Props {
  label: string;
  title: string;
  text: ReactNode;
  /** The message after success. */
  successMessage: string;
  run: () => Promise<unknown>;
  danger?: boolean;
  act?: string;
}

/** A button that opens a confirmation with an explanation. */
export function ConfirmButton({ label, title, text, successMessage, run, danger = false, act }: Props) {
  const task = useTask();
  return (
    <DialogButton
      {...{ label, act, color: danger ? 'error' : undefined }}
      dialog={(close) => (
        <ConfirmDialog
          {...{ title, danger, confirm: label, busy: task.busy }}
          onClose={close}
          onConfirm={() => void task.run(run, successMessage).then((isDone) => isDone && close())}
        >
          {text}
        </ConfirmDialog>
      )}
    />
  );
}
