import { useTheme } from '@mui/material/styles';
import { BarChart } from '@mui/x-charts/BarChart';

interface Props {
  height: number;
  label: string;
  names: string[];
  counts: number[];
}

/** A bar for each group. In a file of its own, because the library is loaded with it. */
export default function GroupChart({ height, label, names, counts }: Props) {
  const { palette } = useTheme();
  return (
    <BarChart
      layout="horizontal"
      height={height}
      hideLegend
      skipAnimation
      margin={{ left: 0, right: 16, top: 4, bottom: 0 }}
      yAxis={[{ data: names, scaleType: 'band', width: 120, disableLine: true }]}
      xAxis={[{ tickMinStep: 1, min: 0, height: 24 }]}
      series={[{ label, data: counts, color: palette.primary.main }]}
    />
  );
}
