import CodeIcon from '@mui/icons-material/CodeOutlined';
import { Box, Drawer, Tab, Tabs, Typography } from '@mui/material';
import { type ReactNode, useState } from 'react';
import { Button, useRecordContext } from 'react-admin';
import { root } from '../data/api.ts';
import { tagKey } from '../data/data-provider.ts';
import { useDescription } from '../data/described.tsx';
import { say } from '../text/say.ts';
import { CopyButton } from '../widgets/CopyButton.tsx';
import { History } from './History.tsx';
import { snippetsFor } from './snippets.ts';

type View = 'api' | 'json' | 'history';

/** What programs see of a resource or of the row that is shown: addresses and calls, raw JSON, and what happened to it. */
export function CodeButton() {
  const row = useRecordContext();
  const [view, setView] = useState<View>();
  return (
    <>
      <Button label={say('API')} onClick={() => setView('api')}>
        <CodeIcon />
      </Button>
      <Drawer
        anchor="right"
        open={view !== undefined}
        onClose={() => setView(undefined)}
        slotProps={{
          paper: { role: 'dialog', 'aria-label': say('For programs'), sx: { width: 'min(560px, 100vw)', p: 2 } },
        }}
      >
        {row && (
          <Tabs value={view ?? 'api'} onChange={(_, next: View) => setView(next)} aria-label={say('What to show')}>
            <Tab value="api" label={say('API')} />
            <Tab value="json" label={say('JSON')} />
            <Tab value="history" label={say('History')} />
          </Tabs>
        )}
        {view === 'api' && <Calls id={row?.id as string | undefined} />}
        {view === 'json' && row && <RawRow row={row} />}
        {view === 'history' && row && <History id={String(row.id)} />}
      </Drawer>
    </>
  );
}

function Calls({ id }: { id: string | undefined }) {
  const { name } = useDescription();
  return snippetsFor(location.origin + root, name, id).map(({ title, text }) => (
    <Code key={title} title={say(title)} text={text} />
  ));
}

function RawRow({ row }: { row: Record<string, unknown> }) {
  const { [tagKey]: _tag, ...plain } = row;
  return <Code title={say('This row')} text={JSON.stringify(plain, null, 2)} />;
}

function Code({ title, text }: { title: ReactNode; text: string }) {
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
          m: 0,
          p: 1.5,
          borderRadius: 1,
          bgcolor: 'background.default',
          overflow: 'auto',
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
        }}
      >
        {text}
      </Box>
    </Box>
  );
}
