import { Button, Dialog, DialogActions, DialogContent, type DialogProps, DialogTitle } from '@mui/material';
import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { translate } from '../text/translate.ts';

interface Props {
  title: ReactNode;
  /** An explanation above the other content. */
  text?: ReactNode;
  children?: ReactNode;
  onClose: () => void;
  /** The label of the main button. Without it, the dialog can only be closed. */
  confirm?: string | undefined;
  /** Omitted if `form` handles the submit event of the main button. */
  onConfirm?: () => void;
  /** Puts the content and the buttons into a form. */
  form?: (content: ReactNode) => ReactNode;
  /** Buttons between *Cancel* and the main one. */
  actions?: ReactNode;
  /** The label of the button that closes the dialog. Null: no button. */
  cancel?: string | null;
  danger?: boolean;
  busy?: boolean;
  disabled?: boolean;
  maxWidth?: DialogProps['maxWidth'];
  /** A click outside of the dialog does not close it. */
  isModal?: boolean;
  /** While this is true, neither a click outside of the dialog nor Escape closes it. */
  keepsOpen?: RefObject<boolean>;
}

/** A dialog with a title, content, *Cancel* and one main button. */
export function ConfirmDialog({ title, children, onClose, confirm, onConfirm, form, maxWidth = 'sm', ...rest }: Props) {
  const id = useId();
  const cancel = useRef<HTMLButtonElement>(null);
  // When the focused button becomes disabled, it loses the focus, and Escape would no longer reach the dialog. A layout effect runs before
  // the next paint, so no key press is lost.
  useLayoutEffect(() => {
    const focused = document.activeElement;
    if (rest.disabled && (!focused || focused.matches('body, :disabled'))) cancel.current?.focus();
  }, [rest.disabled]);
  const content = (
    <>
      <DialogContent>
        {rest.text && <p className="quiet before">{rest.text}</p>}
        {children}
      </DialogContent>
      <DialogActions>
        {rest.cancel !== null && (
          <Button ref={cancel} color="inherit" onClick={onClose} autoFocus={confirm === undefined}>
            {rest.cancel ?? translate('Cancel')}
          </Button>
        )}
        {rest.actions}
        {confirm !== undefined && (
          <Button
            variant="contained"
            color={rest.danger ? 'error' : 'primary'}
            loading={rest.busy ?? false}
            disabled={rest.disabled ?? false}
            autoFocus={onConfirm !== undefined || !children}
            {...(onConfirm ? { onClick: onConfirm } : { type: 'submit' })}
          >
            {confirm}
          </Button>
        )}
      </DialogActions>
    </>
  );
  const close = (_event: object, reason: string) => {
    if (!rest.keepsOpen?.current && !(rest.isModal && reason === 'backdropClick')) onClose();
  };
  return (
    <Dialog open onClose={close} fullWidth maxWidth={maxWidth} aria-labelledby={id}>
      <DialogTitle id={id} sx={{ overflowWrap: 'anywhere' }}>
        {title}
      </DialogTitle>
      {form ? form(content) : content}
    </Dialog>
  );
}
