import { Card, Typography } from '@mui/material';
import { Link, useGetList } from 'react-admin';
import { locale, say } from '../text/say.ts';

/** How many rows there are, as a link to their list. */
export function Figure({ label, resource }: { label: string; resource: string }) {
  const { total, pageInfo, isPending, error } = useGetList(resource, {
    pagination: { page: 1, perPage: 1 },
    sort: { field: 'id', order: 'DESC' },
  });
  const shown = error
    ? '?'
    : isPending
      ? '…'
      : (total?.toLocaleString(locale) ??
        (pageInfo?.hasNextPage ? say('more than {count, number}', { count: 10_000 }) : '0'));
  return (
    <Card
      component={Link}
      to={`/${resource}`}
      underline="none"
      sx={{ p: 2, display: 'block', color: 'inherit', '&:hover': { borderColor: 'primary.main' } }}
    >
      <Typography color="textSecondary" variant="body2">
        {label}
      </Typography>
      <Typography variant="h5" component="p" sx={{ fontVariantNumeric: 'tabular-nums' }}>
        {shown}
      </Typography>
    </Card>
  );
}
