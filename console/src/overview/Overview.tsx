import { Box, Card, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material';
import { Link, Title, useGetList, useStore } from 'react-admin';
import { useDescriptions } from '../data/DescriptionsProvider.tsx';
import { useChanges, useRefreshSoon } from '../live/useChanges.ts';
import { InviteButton } from '../people/InviteButton.tsx';
import { builtinNames, labelOf } from '../text/presentation.ts';
import { locale, translate } from '../text/translate.ts';
import type { TrailEvent } from '../trail/sentences.ts';
import { Trail } from '../trail/Trail.tsx';
import { FigureText } from '../widgets/FigureText.tsx';
import { MutedText, Section } from '../widgets/Section.tsx';
import { periods } from './activity.ts';
import { Charts } from './Charts.tsx';
import { Checklist } from './Checklist.tsx';
import { HealthReport } from './HealthReport.tsx';
import { useActivity } from './useOverview.ts';

/** The state of the service: its activity, the latest events, and problems to solve. */
export default function Overview() {
  const descriptions = useDescriptions();
  const [period, setPeriod] = useStore<string>('overview.period', periods[0].name);
  const refresh = useRefreshSoon();
  useChanges([...descriptions.keys()], (change) => {
    if (change) refresh([change.resource, 'getList'], ['events', 'getList'], ['activity']);
  });
  const operators = [...descriptions.values()].filter(
    ({ name, operations }) => !builtinNames.includes(name) && operations.has('list'),
  );
  return (
    <Box sx={{ display: 'grid', gap: 2, mt: 2, pb: 4 }}>
      <Title title={translate('Overview')} />
      <Checklist />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', justifyContent: 'space-between' }}>
        <Typography variant="h6" component="h2">
          {translate('Activity')}
        </Typography>
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
          {descriptions.has('users') && <InviteButton />}
          <ToggleButtonGroup
            exclusive
            size="small"
            aria-label={translate('Period')}
            value={period}
            onChange={(_event, value: string | null) => value && setPeriod(value)}
          >
            {periods.map(({ name }) => (
              <ToggleButton key={name} value={name} sx={{ textTransform: 'none', color: 'text.primary' }}>
                {translate(name)}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
        </Box>
      </Box>
      <Charts period={periods.find(({ name }) => name === period) ?? periods[0]} />
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(160px, 45%), 1fr))' }}>
        {descriptions.has('users') && <Figure label={translate('Users')} resource="users" />}
        {descriptions.has('clients') && <Figure label={translate('Clients')} resource="clients" />}
        <FactorFigures />
        {operators.map(({ name }) => (
          <Figure key={name} label={labelOf(name)} resource={name} />
        ))}
      </Box>
      <Box sx={{ display: 'grid', gap: 2, alignItems: 'start', gridTemplateColumns: { xs: '1fr', lg: '3fr 2fr' } }}>
        {descriptions.has('events') && <LatestEvents />}
        <Box sx={{ display: 'grid', gap: 2 }}>
          <HealthReport />
        </Box>
      </Box>
    </Box>
  );
}

function LatestEvents() {
  const {
    data = [],
    isPending,
    error,
  } = useGetList<TrailEvent>('events', {
    pagination: { page: 1, perPage: 10 },
    sort: { field: 'created_at', order: 'DESC' },
  });
  return (
    <Section title={translate('Latest events')} to="/events">
      {error && <MutedText>{translate('This cannot be shown: {reason}', { reason: error.message })}</MutedText>}
      {!error && !isPending && data.length === 0 && <MutedText>{translate('Nothing has happened yet.')}</MutedText>}
      <Trail events={data} />
    </Section>
  );
}

/** Aligns the numbers in a row of tiles, however long the labels are. */
const tile = { p: 2, display: 'grid', alignContent: 'space-between' } as const;

/** The number of rows, as a link to their list. */
function Figure({ label, resource }: { label: string; resource: string }) {
  const { total, pageInfo, isPending, error } = useGetList(resource, {
    pagination: { page: 1, perPage: 1 },
    sort: { field: 'id', order: 'DESC' },
  });
  const text = error
    ? '?'
    : isPending
      ? '…'
      : (total?.toLocaleString(locale) ??
        (pageInfo?.hasNextPage ? translate('more than {count, number}', { count: 10_000 }) : '0'));
  return (
    <Card
      component={Link}
      to={`/${resource}`}
      underline="none"
      sx={{ ...tile, color: 'inherit', '&:hover': { borderColor: 'primary.main' } }}
    >
      <FigureText label={label} value={text} />
    </Card>
  );
}

/** The number of people with a passkey, and with an authenticator app. */
function FactorFigures() {
  const { factors } = useActivity().data ?? {};
  if (!factors) return null;
  const figures = [
    [translate('People with a passkey'), factors.passkeys],
    [translate('People with an authenticator app'), factors.authenticators],
  ] as const;
  return figures.map(([label, count]) => (
    <Card key={label} sx={tile}>
      <FigureText label={label} value={count.toLocaleString(locale)} />
    </Card>
  ));
}
