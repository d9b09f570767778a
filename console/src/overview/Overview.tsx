import { Alert, Box, Button, Card, Skeleton, ToggleButton, ToggleButtonGroup } from '@mui/material';
import { lazy, Suspense, useMemo } from 'react';
import { Link, Title, useGetList, useStore } from 'react-admin';
import { InviteButton, LatestEvents, LiveOverview } from '../../../extensions/all-console-parts.ts';
import { useDescriptions } from '../data/DescriptionsProvider.tsx';
import { builtinNames, labelOf } from '../text/presentation.ts';
import { locale, translate } from '../text/translate.ts';
import { FigureText } from '../widgets/Section.tsx';
import { type Kind, type Period, periods, seriesOf } from './activity.ts';
import { Checklist, HealthReport } from './HealthReport.tsx';
import { useActivity } from './useOverview.ts';

/** The state of the service: its activity, the latest events, and problems to solve. */
export default function Overview() {
  const descriptions = useDescriptions();
  const [period, setPeriod] = useStore<string>('overview.period', periods[0].name);
  const operators = [...descriptions.values()].filter(
    ({ name, operations }) => !builtinNames.includes(name) && operations.has('list'),
  );
  return (
    <Box sx={{ display: 'grid', gap: 2, mt: 2, pb: 4 }}>
      <Title title={translate('Overview')} />
      <LiveOverview />
      <Checklist />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', justifyContent: 'space-between' }}>
        <h2 className="heading">{translate('Activity')}</h2>
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

// The chart library is larger than everything else on this page.
const Chart = lazy(() => import('./Chart.tsx'));
const height = 130;

interface ChartDeclaration {
  kind: Kind;
  label: string;
  /** A second series in the same chart. */
  secondSeries?: { kind: Kind; label: string };
}

const charts: ChartDeclaration[] = [
  { kind: 'sign_ins', label: 'Sign-ins', secondSeries: { kind: 'failures', label: 'Failed sign-ins' } },
  { kind: 'tokens', label: 'Tokens issued' },
  { kind: 'registrations', label: 'New users' },
  { kind: 'sessions', label: 'Live sessions' },
];

function Charts({ period }: { period: Period }) {
  const { data, error, refetch } = useActivity();
  const series = useMemo(() => seriesOf(data?.hours ?? [], period), [data, period]);
  if (error) {
    return (
      <Alert severity="warning" action={<Button onClick={() => void refetch()}>{translate('Retry')}</Button>}>
        {translate('The figures cannot be shown: {reason}', { reason: error.message })}
      </Alert>
    );
  }
  const figure = (kind: Kind) => (kind === 'sessions' ? (data?.sessions ?? 0) : series.totals[kind]);
  return (
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr', lg: 'repeat(4, 1fr)' } }}>
      {charts.map(({ kind, label, secondSeries }) => (
        <Card
          component="section"
          key={kind}
          aria-label={`${translate(label)}, ${translate(period.name)}`}
          sx={{ p: 2, minWidth: 0 }}
        >
          <FigureText
            label={translate(label)}
            value={data ? figure(kind).toLocaleString(locale) : '…'}
            isAlarming={secondSeries && figure(secondSeries.kind) > 0}
            detail={
              secondSeries
                ? translate('{count, number} failed', { count: figure(secondSeries.kind) })
                : kind === 'sessions'
                  ? translate('now')
                  : translate('in {period}', { period: translate(period.name) })
            }
          />
          <Box sx={{ height, mt: 1 }}>
            {data && (
              <Suspense fallback={<Skeleton variant="rounded" height={height} />}>
                <Chart
                  at={series.at}
                  each={period.each}
                  height={height}
                  line={kind === 'sessions'}
                  series={[{ kind, label }, ...(secondSeries ? [secondSeries] : [])].map((item) => ({
                    label: translate(item.label),
                    data: series.of[item.kind],
                    alarming: item.kind === 'failures',
                  }))}
                />
              </Suspense>
            )}
          </Box>
        </Card>
      ))}
    </Box>
  );
}
