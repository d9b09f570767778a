import { Box, Tab, Tabs } from '@mui/material';
import { useState } from 'react';
import { say } from '../text/say.ts';
import { Code } from '../widgets/Code.tsx';
import { Quiet, Section } from '../widgets/Section.tsx';
import { receivers } from './receivers.ts';

/** How a program receives deliveries and verifies them. */
export default function Receivers() {
  const [shown, setShown] = useState(0);
  const { language, code } = receivers[shown] as (typeof receivers)[number];
  return (
    <Box sx={{ mt: 3 }}>
      <Section title={say('Receive deliveries')}>
        <Quiet>
          {say(
            'Verify the signature, answer with a status from 200 to 299 within 10 seconds, and treat a repeated webhook-id as known.',
          )}
        </Quiet>
        <Tabs
          value={shown}
          onChange={(_, next: number) => setShown(next)}
          aria-label={say('Language')}
          variant="scrollable"
        >
          {receivers.map(({ language: name }) => (
            <Tab key={name} label={name} sx={{ textTransform: 'none' }} />
          ))}
        </Tabs>
        <Box sx={{ px: 2, pb: 2 }}>
          <Code title={language} text={code} />
        </Box>
      </Section>
    </Box>
  );
}
