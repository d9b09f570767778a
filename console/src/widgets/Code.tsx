import { Box, Typography } from '@mui/material';
import { CopyButton } from './CopyButton.tsx';

/** A piece of code, and a button that copies it. */
export function Code({ title, text }: { title: string; text: string }) {
  return (
    <Box component="section" sx={{ mt: 2 }}>
      <Box sx={{ display: 'flex', justifyContent: 'space-between', alignItems: 'center' }}>
        <Typography component="h2" variant="subtitle2">
          {title}
        </Typography>
        <CopyButton text={text} />
      </Box>
      <Box
        component="pre"
        className="mono"
        tabIndex={0}
        sx={{
          ...{ m: 0, p: 1.5, borderRadius: 1, bgcolor: 'background.default', overflow: 'auto' },
          ...{ border: '1px solid', borderColor: 'divider' },
          ...{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
        }}
      >
        {text}
      </Box>
    </Box>
  );
}
