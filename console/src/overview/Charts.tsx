import { Alert, Box, Button, Card, Skeleton, Typography } from '@mui/material';
import { lazy, Suspense, useMemo } from 'react';
import { locale, translate } from '../text/translate.ts';
import { type Kind, type Period, seriesOf } from './activity.ts';
import { useActivity } from './useOverview.ts';

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

export function Charts({ period }: { period: Period }) {
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
          <Typography component="h3" variant="body2" color="textSecondary">
            {translate(label)}
          </Typography>
          <Typography variant="h4" component="p" sx={{ fontVariantNumeric: 'tabular-nums', fontWeight: 600 }}>
            {data ? figure(kind).toLocaleString(locale) : '…'}
          </Typography>
          <Typography variant="body2" color={secondSeries && figure(secondSeries.kind) > 0 ? 'error' : 'textSecondary'}>
            {secondSeries
              ? translate('{count, number} failed', { count: figure(secondSeries.kind) })
              : kind === 'sessions'
                ? translate('now')
                : translate('in {period}', { period: translate(period.name) })}
          </Typography>
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
