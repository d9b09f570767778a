import FirstIcon from '@mui/icons-material/FirstPage';
import PreviousIcon from '@mui/icons-material/KeyboardArrowLeft';
import NextIcon from '@mui/icons-material/KeyboardArrowRight';
import LastIcon from '@mui/icons-material/LastPage';
import { Box, Button, IconButton, MenuItem, TextField, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { useListContext } from 'react-admin';
import { locale, say } from '../text/say.ts';

const sizes = [10, 25, 50, 100];

/** Where one is in a list, and the ways to other pages of it. `onCountAll` counts a list that was not counted to its end. */
export function Pages({ onCountAll }: { onCountAll?: () => void }) {
  const { data = [], total: counted, hasNextPage, meta, page, perPage, isPending, error } = useListContext();
  if (isPending || error || (data.length === 0 && page === 1)) return null;
  const first = (page - 1) * perPage + 1;
  const shown = first + data.length - 1;
  // The end is seen on the last page, counted or not.
  const total = counted ?? (hasNextPage === false && data.length > 0 ? shown : undefined);
  const last = total === undefined ? undefined : Math.max(1, Math.ceil(total / perPage));
  // Where all fits on the smallest page there is nothing to turn.
  const isShort = total !== undefined && total <= Math.min(...sizes) && page === 1;
  const atLeast = meta?.atLeast as number | undefined;
  const all =
    total?.toLocaleString(locale) ??
    (atLeast === undefined ? say('many') : say('more than {count, number}', { count: Math.max(atLeast, shown) }));
  return (
    <Box
      component="nav"
      aria-label={say('Pages')}
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'center',
        justifyContent: 'flex-end',
        gap: 1,
        py: 1,
        px: isShort ? 2 : 0.5,
      }}
    >
      <Typography variant="body2" sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }} role="status">
        {say('{first}–{last} of {all}', {
          first: first.toLocaleString(locale),
          last: shown.toLocaleString(locale),
          all,
        })}
      </Typography>
      {total === undefined && onCountAll && (
        <Button size="small" onClick={onCountAll}>
          {say('Count all')}
        </Button>
      )}
      {!isShort && <Turning last={last} />}
    </Box>
  );
}

/** How many rows a page has, and which page it is. */
function Turning({ last }: { last: number | undefined }) {
  const { page, perPage, setPage, setPerPage, hasNextPage } = useListContext();
  return (
    <>
      <TextField
        select
        value={perPage}
        onChange={(event) => setPerPage(Number(event.target.value))}
        fullWidth={false}
        margin="none"
        sx={{ '& .MuiSelect-select': { py: 0.75 } }}
        slotProps={{
          select: { SelectDisplayProps: { 'aria-label': say('Rows on a page: {count}', { count: perPage }) } },
        }}
      >
        {[...new Set([...sizes, perPage])].map((size) => (
          <MenuItem key={size} value={size}>
            {size}
          </MenuItem>
        ))}
      </TextField>
      <Box sx={{ display: 'flex', alignItems: 'center' }}>
        <Turn label={say('First page')} to={page > 1 ? 1 : undefined} icon={<FirstIcon />} />
        <Turn label={say('Previous page')} to={page > 1 ? page - 1 : undefined} icon={<PreviousIcon />} />
        <TextField
          key={page}
          defaultValue={page}
          fullWidth={false}
          margin="none"
          onKeyDown={(event) => {
            const wanted = Number((event.target as HTMLInputElement).value);
            if (event.key !== 'Enter' || !Number.isInteger(wanted) || wanted < 1) return;
            setPage(Math.min(wanted, last ?? wanted));
          }}
          slotProps={{
            htmlInput: {
              'aria-label': say('Page'),
              inputMode: 'numeric',
              sx: { py: 0.75, width: '4ch', textAlign: 'center' },
            },
          }}
        />
        {last !== undefined && (
          <Typography variant="body2" sx={{ color: 'text.secondary', ml: 1 }}>
            {say('of {count, number}', { count: last })}
          </Typography>
        )}
        <Turn label={say('Next page')} to={hasNextPage ? page + 1 : undefined} icon={<NextIcon />} />
        <Turn label={say('Last page')} to={last !== undefined && page < last ? last : undefined} icon={<LastIcon />} />
      </Box>
    </>
  );
}

function Turn({ label, to, icon }: { label: string; to: number | undefined; icon: ReactNode }) {
  const { setPage } = useListContext();
  return (
    <IconButton
      aria-label={label}
      title={label}
      disabled={to === undefined}
      onClick={() => to !== undefined && setPage(to)}
    >
      {icon}
    </IconButton>
  );
}
