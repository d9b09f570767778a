import SearchIcon from '@mui/icons-material/Search';
import { Box, Button } from '@mui/material';
import { useTheme } from '@mui/material/styles';
import visuallyHidden from '@mui/utils/visuallyHidden';
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { translate } from '../../../console/src/text/translate.ts';

const loadPalette = () => import('./Palette.tsx');
const Palette = lazy(loadPalette);

/** The search button in the top bar. Ctrl-K (⌘K) also opens the search. `Invitation`: a dialog that the search can open. */
export function SearchEverything({ Invitation }: { Invitation: ComponentType<{ onClose: () => void }> }) {
  const theme = useTheme();
  const [open, setOpen] = useState<'search' | 'invite'>();

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen((before) => (before === 'search' ? undefined : 'search'));
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);

  return (
    <>
      <Button
        color="inherit"
        size="small"
        startIcon={<SearchIcon />}
        aria-keyshortcuts="Control+K"
        onClick={() => setOpen('search')}
        onPointerEnter={() => void loadPalette()}
        sx={{ mr: 1, minWidth: 0, color: 'text.secondary', '& .MuiButton-startIcon': { mr: { xs: 0, sm: 1 } } }}
      >
        <Box component="span" sx={{ [theme.breakpoints.down('sm')]: visuallyHidden }}>
          {translate('Search')}
        </Box>
        <Box component="kbd" aria-hidden sx={{ ml: 1, display: { xs: 'none', sm: 'inline' } }}>
          {translate('Ctrl K')}
        </Box>
      </Button>
      <Suspense>
        {open === 'search' && <Palette onClose={() => setOpen(undefined)} onInvite={() => setOpen('invite')} />}
        {open === 'invite' && <Invitation onClose={() => setOpen(undefined)} />}
      </Suspense>
    </>
  );
}
