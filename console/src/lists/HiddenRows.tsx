import { Typography } from '@mui/material';
import { usePermissions } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import { hiddenRowsText } from '../text/hidden-rows.ts';

/** Describes the rows that an access rule hides from this list. */
export function useHiddenRows(): string {
  const { permissions = [] } = usePermissions<string[]>();
  return hiddenRowsText(useDescription(), permissions);
}

export function HiddenRows() {
  const text = useHiddenRows();
  if (!text) return null;
  return (
    <Typography role="note" sx={{ color: 'text.secondary', maxWidth: '70ch', p: 1 }}>
      {text}
    </Typography>
  );
}
