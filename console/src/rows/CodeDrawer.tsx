import CodeIcon from '@mui/icons-material/CodeOutlined';
import { Box, Drawer, Tab, Tabs, Typography } from '@mui/material';
import { useState } from 'react';
import { Button, useRecordContext } from 'react-admin';
import { root } from '../data/api.ts';
import { tagKey } from '../data/data-provider.ts';
import { useDescription } from '../data/described.tsx';
import { say } from '../text/say.ts';
import { CopyButton } from '../widgets/CopyButton.tsx';
import { snippetsFor } from './snippets.ts';

/** Opens the drawer on the page of a row. */
export function CodeButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button label={say('API')} onClick={() => setOpen(true)}>
        <CodeIcon />
      </Button>
      <CodeDrawer open={open} onClose={() => setOpen(false)} />
    </>
  );
}

/** For developers: how to call the resource or the row of the page, and the row as JSON. */
export function CodeDrawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { name } = useDescription();
  const row = useRecordContext();
  const [view, setView] = useState<'api' | 'json'>('api');
  const { [tagKey]: _tag, ...plain } = (row ?? {}) as Record<string, unknown>;
  const shown =
    view === 'api'
      ? snippetsFor(location.origin + root, name, row?.id as string | undefined)
      : [{ title: 'This row', text: JSON.stringify(plain, null, 2) }];
  const paper = { role: 'dialog', 'aria-label': say('For programs'), sx: { width: 'min(560px, 100vw)', p: 2 } };
  return (
    <Drawer anchor="right" open={open} onClose={onClose} slotProps={{ paper }}>
      {row && (
        <Tabs value={view} onChange={(_, next) => setView(next)} aria-label={say('What to show')}>
          <Tab value="api" label={say('API')} />
          <Tab value="json" label={say('JSON')} />
        </Tabs>
      )}
      {shown.map(({ title, text }) => (
        <Code key={title} title={say(title)} text={text} />
      ))}
    </Drawer>
  );
}

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
          ...{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
        }}
      >
        {text}
      </Box>
    </Box>
  );
}
