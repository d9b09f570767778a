import type { SvgIconComponent } from '@mui/icons-material';
import { IconButton } from '@mui/material';
import { type ReactNode, Suspense, useState } from 'react';
import { Button } from 'react-admin';

interface Props {
  label: string;
  /** The text of the button, if it is shorter than the label. */
  word?: string;
  icon: SvgIconComponent;
  /** Shows only the icon, in the row of a table. */
  small?: boolean;
  color?: 'error';
  disabled?: boolean;
}

/** A button with an icon. Without its type, it would submit the form around it. */
export function ActionButton({
  label,
  word = label,
  icon: Icon,
  small,
  color,
  ...rest
}: Props & { onClick: () => void }) {
  return small ? (
    <IconButton size="small" aria-label={label} title={label} {...rest}>
      <Icon fontSize="small" />
    </IconButton>
  ) : (
    <Button label={word} type="button" {...(color && { color })} {...rest}>
      <Icon />
    </Button>
  );
}

/** A button that opens a dialog. */
export function DialogButton({ dialog, ...button }: Props & { dialog: (close: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionButton {...button} onClick={() => setOpen(true)} />
      {isOpen && <Suspense>{dialog(() => setOpen(false))}</Suspense>}
    </>
  );
}
