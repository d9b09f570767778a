import { Alert, Box, Button, Card, Skeleton, ToggleButton, ToggleButtonGroup } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { useStore } from 'react-admin';
import { readData } from '../../../console/src/data/api.ts';
import { locale, translate } from '../../../console/src/text/translate.ts';
import { FigureText, figureTile } from '../../../console/src/widgets/Section.tsx';
import { type Activity, type Kind, type Period, periods, seriesOf } from './activity.ts';

const useActivity = () =>
  useQuery({ queryKey: ['activity'], refetchInterval: 60_000, queryFn: () => readData<Activity>('/v1/activities') });

/** Charts of a period that the person chooses. The buttons `children` are beside this choice. */
export function ActivityCharts({ children }: { children: ReactNode }) {
  const [period, setPeriod] = useStore<string>('overview.period', periods[0].name);
  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', justifyContent: 'space-between' }}>
        <h2 className="heading">{translate('Activity')}</h2>
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
          {children}
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
    </>
  );
}

/** The number of people with a passkey, and with an authenticator app. */
export function FactorFigures() {
  const { factors } = useActivity().data ?? {};
  if (!factors) return null;
  const figures = [
    [translate('People with a passkey'), factors.passkeys],
    [translate('People with an authenticator app'), factors.authenticators],
  ] as const;
  return figures.map(([label, count]) => (
    <Card key={label} sx={figureTile}>
      <FigureText label={label} value={count.toLocaleString(locale)} />
    </Card>
  ));
}

// The chart library is larger than everything else on the overview.
const Chart = lazy(() => import('../../../extensions/activity/console/Chart.tsx'));
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
