import { Alert, LinearProgress, List, ListItem, ListItemText, Typography } from '@mui/material';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { countText } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import type { Progress, Report } from './run-bulk.ts';

interface ProgressProps extends Progress {
  label: string;
  total: number | undefined;
}

/** The progress of the work: "40 of 100 · 2 failed · The service asks to wait 3 s." */
export function BulkProgress({ label, succeeded, failed, waits, total }: ProgressProps) {
  const count = succeeded + failed;
  const parts = [
    total === undefined
      ? translate('{count, number} of …', { count })
      : translate('{count, number} of {all, number}', { count, all: total }),
    failed > 0 && translate('{count, number} failed', { count: failed }),
    waits !== undefined && translate('The service asks to wait {seconds, number} s.', { seconds: waits }),
  ];
  const value = total === undefined ? 0 : Math.min(100, (count / Math.max(1, total)) * 100);
  return (
    <>
      <LinearProgress variant="determinate" value={value} aria-label={label} />
      <Typography role="status" sx={{ mt: 1, color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
        {parts.filter(Boolean).join(' · ')}
      </Typography>
    </>
  );
}

const shownFailures = 100;

/** The failures, row by row. */
export function BulkReport<Row>({ report, nameOf }: { report: Report<Row>; nameOf: (row: Row) => string }) {
  const description = useDescription();
  const { failures, isStopped } = report;
  if (failures.length === 0 && !isStopped) {
    return <Typography sx={{ color: 'text.secondary' }}>{translate('Nothing failed.')}</Typography>;
  }
  const title = translate('{what} failed', { what: countText(failures.length, description) });
  return (
    <>
      {isStopped && <Alert severity="warning">{translate('Stopped early. The remaining rows are unchanged.')}</Alert>}
      {failures.length > 0 && <Typography sx={{ mt: 1 }}>{title}</Typography>}
      <List dense aria-label={title} tabIndex={0} sx={{ maxHeight: 300, overflow: 'auto' }}>
        {failures.slice(0, shownFailures).map(({ row, message }) => (
          <ListItem key={`${nameOf(row)} ${message}`} disableGutters>
            <ListItemText primary={nameOf(row)} secondary={message} />
          </ListItem>
        ))}
      </List>
      {failures.length > shownFailures &&
        translate('and {count, number} more.', { count: failures.length - shownFailures })}
    </>
  );
}
