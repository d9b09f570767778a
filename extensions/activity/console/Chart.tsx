import { useTheme } from '@mui/material/styles';
import { BarChart } from '@mui/x-charts/BarChart';
import { LineChart } from '@mui/x-charts/LineChart';
import { locale } from '../../../console/src/text/translate.ts';

interface Props {
  at: Date[];
  each: 'hour' | 'day';
  height: number;
  /** Whether the values are states at a point in time (a line) instead of sums over a period. */
  line: boolean;
  series: { label: string; data: (number | null)[]; alarming: boolean }[];
}

/** One chart. A separate file, because it loads the chart library. */
export default function Chart({ at, each, height, line, series }: Props) {
  const { palette } = useTheme();
  const dateFormat = each === 'hour' ? ({ hour: 'numeric' } as const) : ({ day: 'numeric', month: 'short' } as const);
  // A label at every sixth hour: automatic labels would have uneven distances.
  const tickLabelInterval = each === 'hour' ? (_at: Date, index: number) => index % 6 === 0 : 'auto';
  const when = (date: Date) => date.toLocaleString(locale, dateFormat);
  const coloured = series.map(({ alarming, ...item }) => ({
    ...item,
    color: alarming ? palette.error.main : palette.primary.main,
  }));
  // An empty chart shows a line at zero.
  const isEmpty = series.every(({ data }) => data.every((value) => !value));
  // A line needs two points. If there are few points, they are marked, so that a single one is visible.
  const isMarked = (data: (number | null)[]) => data.filter((value) => value !== null).length < 10;
  const common = {
    height,
    hideLegend: true,
    skipAnimation: true,
    sx: { '& .MuiAreaElement-root, & .MuiLineChart-area': { opacity: 0.25 } },
    margin: { left: 0, right: 16, top: 12, bottom: 0 },
    yAxis: [{ width: 36, tickMinStep: 1, min: 0, ...(isEmpty && { max: 1 }), disableLine: true }],
  } as const;
  if (line) {
    return (
      <LineChart
        {...common}
        xAxis={[{ data: at, scaleType: 'point', valueFormatter: when, tickLabelInterval, height: 24 }]}
        series={coloured.map((item) => ({ ...item, area: true, showMark: isMarked(item.data), connectNulls: true }))}
      />
    );
  }
  return (
    <BarChart
      {...common}
      xAxis={[{ data: at, scaleType: 'band', valueFormatter: when, tickLabelInterval, height: 24 }]}
      series={coloured.map((item) => ({ ...item, stack: 'all' }))}
    />
  );
}
