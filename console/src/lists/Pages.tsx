import { Box, Button } from '@mui/material';
import { Pagination, useListContext } from 'react-admin';
import { say } from '../text/say.ts';

const sizes = [10, 25, 50, 100];

/** Which rows are shown and the ways to the other pages. `onCountAll` counts a list that was not counted to its end. */
export function Pages({ onCountAll }: { onCountAll?: () => void }) {
  const { data = [], total, hasNextPage, page, isPending, error } = useListContext();
  const isShort = page === 1 && (data.length === 0 || (total !== undefined && total <= Math.min(...sizes)));
  if (isPending || error || isShort) return null;
  return (
    <Box
      sx={{
        ...{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', justifyContent: 'flex-end', gap: 1 },
        // Always in sight, also below a long page of rows.
        ...{ position: 'sticky', bottom: 0, zIndex: 2, bgcolor: 'background.default' },
      }}
    >
      {total === undefined && hasNextPage && onCountAll && (
        <Button size="small" onClick={onCountAll}>
          {say('Count all')}
        </Button>
      )}
      <Pagination rowsPerPageOptions={sizes} />
    </Box>
  );
}
