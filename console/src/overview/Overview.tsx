import { Box, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material';
import { Title, useStore } from 'react-admin';
import { useDescriptions } from '../data/described.tsx';
import { useChanges } from '../live/useChanges.ts';
import { useRefreshSoon } from '../live/useRefreshSoon.ts';
import { InviteButton } from '../people/InviteButton.tsx';
import { labelOf, ownNames } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { periods } from './activity.ts';
import { Charts } from './Charts.tsx';
import { Checklist } from './Checklist.tsx';
import { FactorFigures, Figure } from './Figure.tsx';
import { LatestEvents } from './LatestEvents.tsx';
import { Parts } from './Parts.tsx';

/** The state of the service: its activity, the latest events, and problems to solve. */
export default function Overview() {
  const descriptions = useDescriptions();
  const [period, setPeriod] = useStore<string>('overview.period', periods[0].name);
  const refresh = useRefreshSoon();
  useChanges([...descriptions.keys()], (change) => {
    if (change) refresh([change.resource, 'getList'], ['events', 'getList'], ['activity']);
  });
  const operators = [...descriptions.values()].filter(
    ({ name, operations }) => !ownNames.includes(name) && operations.has('list'),
  );
  return (
    <Box sx={{ display: 'grid', gap: 2, mt: 2, pb: 4 }}>
      <Title title={say('Overview')} />
      <Checklist />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', justifyContent: 'space-between' }}>
        <Typography variant="h6" component="h2">
          {say('Activity')}
        </Typography>
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
          {descriptions.has('users') && <InviteButton />}
          <ToggleButtonGroup
            exclusive
            size="small"
            aria-label={say('Period')}
            value={period}
            onChange={(_event, value: string | null) => value && setPeriod(value)}
          >
            {periods.map(({ name }) => (
              <ToggleButton key={name} value={name} sx={{ textTransform: 'none', color: 'text.primary' }}>
                {say(name)}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
        </Box>
      </Box>
      <Charts period={periods.find(({ name }) => name === period) ?? periods[0]} />
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(160px, 45%), 1fr))' }}>
        {descriptions.has('users') && <Figure label={say('Users')} resource="users" />}
        {descriptions.has('clients') && <Figure label={say('Clients')} resource="clients" />}
        <FactorFigures />
        {operators.map(({ name }) => (
          <Figure key={name} label={labelOf(name)} resource={name} />
        ))}
      </Box>
      <Box sx={{ display: 'grid', gap: 2, alignItems: 'start', gridTemplateColumns: { xs: '1fr', lg: '3fr 2fr' } }}>
        {descriptions.has('events') && <LatestEvents />}
        <Box sx={{ display: 'grid', gap: 2 }}>
          <Parts />
        </Box>
      </Box>
    </Box>
  );
}
