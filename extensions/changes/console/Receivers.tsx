import { Box, Tab, Tabs } from '@mui/material';
import { useState } from 'react';
import { translate } from '../../../console/src/text/translate.ts';
import { Code } from '../../../console/src/widgets/Code.tsx';
import { MutedText, Section } from '../../../console/src/widgets/Section.tsx';
import go from './receivers/receiver.go?raw';
import node from './receivers/receiver.mjs?raw';
import php from './receivers/receiver.php?raw';
import python from './receivers/receiver.py?raw';

/** Programs that verify a delivery, with few dependencies. */
const receivers = [
  { language: 'Node.js', code: node },
  { language: 'Python', code: python },
  { language: 'Go', code: go },
  { language: 'PHP', code: php },
];

/** How a program receives deliveries and verifies them. */
export default function Receivers() {
  const [selected, setSelected] = useState(0);
  const { language, code } = receivers[selected] as (typeof receivers)[number];
  return (
    <Section title={translate('Receive deliveries')}>
      <MutedText>
        {translate(
          'Verify the signature, answer with a status from 200 to 299 within 10 seconds, and treat a repeated webhook-id as known.',
        )}
      </MutedText>
      <Tabs
        value={selected}
        onChange={(_, next: number) => setSelected(next)}
        aria-label={translate('Language')}
        variant="scrollable"
      >
        {receivers.map(({ language: name }) => (
          <Tab key={name} label={name} sx={{ textTransform: 'none' }} />
        ))}
      </Tabs>
      <Box sx={{ px: 2, pb: 2 }}>
        <Code title={language} text={code.trimEnd()} />
      </Box>
    </Section>
  );
}
