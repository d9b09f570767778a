import { Box, Card } from '@mui/material';
import { Link, Title, useGetList } from 'react-admin';
import {
  ActivityCharts,
  Checklist,
  FactorFigures,
  HealthReport,
  InviteButton,
  LatestEvents,
  LiveOverview,
} from '../../../extensions/all-console-parts.ts';
import { useDescriptions } from '../data/DescriptionsProvider.tsx';
import { builtinNames, labelOf } from '../text/presentation.ts';
import { locale, translate } from '../text/translate.ts';
import { FigureText, figureTile } from '../widgets/Section.tsx';

/** The state of the service: its activity, the latest events, and problems to solve. */
export default function Overview() {
  const descriptions = useDescriptions();
  const operators = [...descriptions.values()].filter(
    ({ name, operations }) => !builtinNames.includes(name) && operations.has('list'),
  );
  return (
    <Box sx={{ display: 'grid', gap: 2, mt: 2, pb: 4 }}>
      <Title title={translate('Overview')} />
      <LiveOverview />
      <Checklist />
      <ActivityCharts>{descriptions.has('users') && <InviteButton />}</ActivityCharts>
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
      sx={{ ...figureTile, color: 'inherit', '&:hover': { borderColor: 'primary.main' } }}
    >
      <FigureText label={label} value={text} />
    </Card>
  );
}
