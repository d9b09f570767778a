import { Drawer, Tab, Tabs } from '@mui/material';
import { useState } from 'react';
import { useRecordContext } from 'react-admin';
import { root } from '../../../console/src/data/api.ts';
import { useDescription } from '../../../console/src/data/DescriptionsProvider.tsx';
import { tagKey } from '../../../console/src/data/data-provider.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { Code } from '../../../console/src/widgets/Code.tsx';
import { snippetsFor } from './snippets.ts';

/** For developers: how to call the API for the resource or row of the page, and the row as JSON. */
export default function CodeDrawer({ onClose }: { onClose: () => void }) {
  const { name } = useDescription();
  const row = useRecordContext();
  const [view, setView] = useState<'api' | 'json'>('api');
  const { [tagKey]: _tag, ...plain } = (row ?? {}) as Record<string, unknown>;
  const snippets =
    view === 'api'
      ? snippetsFor(location.origin + root, name, row && String(row.id))
      : [{ title: 'This row', text: JSON.stringify(plain, null, 2) }];
  const paper = { role: 'dialog', 'aria-label': translate('For programs'), sx: { width: 'min(560px, 100vw)', p: 2 } };
  return (
    <Drawer anchor="right" open onClose={onClose} slotProps={{ paper }}>
      {row && (
        <Tabs value={view} onChange={(_, next) => setView(next)} aria-label={translate('What to show')}>
          <Tab value="api" label={translate('API')} />
          <Tab value="json" label={translate('JSON')} />
        </Tabs>
      )}
      {snippets.map(({ title, text }) => (
        <Code key={title} title={translate(title)} text={text} />
      ))}
    </Drawer>
  );
}
