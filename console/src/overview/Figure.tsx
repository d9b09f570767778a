import { Card, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { Link, useGetList } from 'react-admin';
import { locale, say } from '../text/say.ts';
import { useActivity } from './useOverview.ts';

/** Aligns the numbers in a row of tiles, however long the labels are. */
const tile = { p: 2, display: 'grid', alignContent: 'space-between' } as const;

/** The number of rows, as a link to their list. */
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
      sx={{ ...tile, color: 'inherit', '&:hover': { borderColor: 'primary.main' } }}
    >
      <Count label={label}>{shown}</Count>
    </Card>
  );
}

/** The number of people with a passkey, and with an authenticator app. */
export function FactorFigures() {
  const { factors } = useActivity().data ?? {};
  if (!factors) return null;
  const figures = [
    [say('People with a passkey'), factors.passkeys],
    [say('People with an authenticator app'), factors.authenticators],
  ] as const;
  return figures.map(([label, count]) => (
    <Card key={label} sx={tile}>
      <Count label={label}>{count.toLocaleString(locale)}</Count>
    </Card>
  ));
}

function Count({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <Typography color="textSecondary" variant="body2">
        {label}
      </Typography>
      <Typography variant="h5" component="p" sx={{ fontVariantNumeric: 'tabular-nums' }}>
        {children}
      </Typography>
    </>
  );
}
