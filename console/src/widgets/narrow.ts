import { useMediaQuery } from '@mui/material';
import type { Theme } from '@mui/material/styles';

/** Too narrow for a table beside the menu. */
export const useNarrow = (): boolean => useMediaQuery<Theme>((theme) => theme.breakpoints.down('md'));
