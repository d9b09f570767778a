import { Box, Typography } from '@mui/material';
import { locale } from '../text/say.ts';

interface Props {
  names: string[];
  counts: number[];
}

/** A bar for each group, drawn with plain elements, because the chart library would be larger than the list. */
export function GroupBars({ names, counts }: Props) {
  const most = Math.max(1, ...counts);
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, mt: 1.5, p: 0, display: 'grid', gap: 1 }}>
      {names.map((name, i) => {
        const count = counts[i] ?? 0;
        return (
          <Box
            component="li"
            key={name}
            sx={{ display: 'grid', gridTemplateColumns: 'minmax(6ch, 30%) 1fr 6ch', gap: 1, alignItems: 'center' }}
          >
            <Typography variant="body2" noWrap title={name}>
              {name}
            </Typography>
            <Box aria-hidden sx={{ height: 14, borderRadius: 0.5, bgcolor: 'action.hover' }}>
              <Box sx={{ height: 1, borderRadius: 0.5, bgcolor: 'primary.main', width: `${(100 * count) / most}%` }} />
            </Box>
            <Typography variant="body2" sx={{ textAlign: 'right', fontVariantNumeric: 'tabular-nums' }}>
              {count.toLocaleString(locale)}
            </Typography>
          </Box>
        );
      })}
    </Box>
  );
}
