import type { SvgIconComponent } from '@mui/icons-material';
import { IconButton, Button as PlainButton } from '@mui/material';
import { type ReactNode, Suspense, useState } from 'react';
import { Button } from 'react-admin';

interface Props {
  label: string;
  /** The text of the button, if it is shorter than the label. */
  shortLabel?: string;
  /** Without an icon, the button has an outline. */
  icon?: SvgIconComponent;
  /** Shows only the icon, in the row of a table. */
  small?: boolean;
  color?: 'error' | undefined;
  disabled?: boolean;
}

type ActionProps = Props & { onClick: () => void };

/** A button for an action. Without its type, it would submit the form around it. */
export function ActionButton({ label, shortLabel = label, icon: Icon, small, color, ...rest }: ActionProps) {
  if (!Icon) {
    return (
      <PlainButton
        variant="outlined"
        size="small"
        color={color ?? 'primary'}
        sx={{ flexShrink: 0, whiteSpace: 'nowrap' }}
        {...rest}
      >
        {shortLabel}
      </PlainButton>
    );
  }
  return small ? (
    <IconButton size="small" aria-label={label} title={label} {...rest}>
      <Icon fontSize="small" />
    </IconButton>
  ) : (
    <Button label={shortLabel} type="button" {...(color && { color })} {...rest}>
      <Icon />
    </Button>
  );
}

interface DialogProps extends Props {
  dialog: (close: () => void) => ReactNode;
  /** The name with which the command palette opens the dialog: `?act=…`. */
  act?: string | undefined;
}

/** A button that opens a dialog. */
export function DialogButton({ dialog, act, ...button }: DialogProps) {
  const [isOpen, setOpen] = useState(act !== undefined && new URLSearchParams(location.search).get('act') === act);
  return (
    <>
      <ActionButton {...button} onClick={() => setOpen(true)} />
      {isOpen && <Suspense>{dialog(() => setOpen(false))}</Suspense>}
    </>
  );
}
