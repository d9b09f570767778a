import { Box } from '@mui/material';
import { memo, type ReactNode, useEffect, useState } from 'react';
import { TitlePortal } from 'react-admin';
import { createPortal } from 'react-dom';

const place = 'page-actions';

/** The head of every page: its title as `h1`, and its actions. */
export const PageHead = memo(() => {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 0.5, minHeight: 48, my: 0.5 }}>
      <TitlePortal
        component="h1"
        variant="h5"
        sx={{
          whiteSpace: 'normal',
          overflowWrap: 'anywhere',
          flex: '1 1 auto',
          '& small': { color: 'text.secondary' },
        }}
      />
      <Box
        id={place}
        sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', justifyContent: 'flex-end', gap: 1, ml: 'auto' }}
      />
    </Box>
  );
});

/** Shows the actions of this page beside its title. */
export function PageActions({ children }: { children: ReactNode }) {
  const [head, setHead] = useState<HTMLElement | null>(null);
  useEffect(() => setHead(document.getElementById(place)), []);
  return head && createPortal(children, head);
}
