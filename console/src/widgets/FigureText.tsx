import { Typography } from '@mui/material';

/** A number with its label, and a detail below it. */
export function FigureText({ label, value, detail }: { label: string; value: string; detail?: string | undefined }) {
  return (
    <>
      <Typography component="h3" variant="body2" color="textSecondary">
        {label}
      </Typography>
      <Typography variant="h5" component="p" sx={{ fontVariantNumeric: 'tabular-nums', overflowWrap: 'anywhere' }}>
        {value}
      </Typography>
      {detail && (
        <Typography variant="body2" color="textSecondary">
          {detail}
        </Typography>
      )}
    </>
  );
}
