import PreviousIcon from '@mui/icons-material/NavigateBefore';
import NextIcon from '@mui/icons-material/NavigateNext';
import { Box, Button, IconButton } from '@mui/material';
import { useListContext, useTranslate } from 'react-admin';
import { translate } from '../text/translate.ts';
import { useIsNarrow } from '../widgets/useIsNarrow.ts';

const sizes = [10, 25, 50, 100];

/** The first page, the last page, and the pages around the current one. Undefined marks a gap. */
function shownPages(page: number, last: number): (number | undefined)[] {
  const candidates = [1, page - 1, page, page + 1, last].filter((pageNumber) => pageNumber >= 1 && pageNumber <= last);
  const pages = [...new Set(candidates)].sort((a, b) => a - b);
  return pages.flatMap((pageNumber, i) =>
    i > 0 && pageNumber > (pages[i - 1] ?? 0) + 1 ? [undefined, pageNumber] : [pageNumber],
  );
}

/** Shows which rows are visible, and links to other pages. `onCountAll` counts a list whose count was capped. */
export function Pagination({ onCountAll }: { onCountAll?: () => void }) {
  const { data = [], total, hasNextPage, page, perPage, setPage, setPerPage, isPending, error } = useListContext();
  const translateKey = useTranslate();
  const isNarrow = useIsNarrow();
  const isShort = page === 1 && (data.length === 0 || (total !== undefined && total <= Math.min(...sizes)));
  if (isPending || error || isShort) return null;
  const range = { offsetBegin: (page - 1) * perPage + 1, offsetEnd: (page - 1) * perPage + data.length };
  const last = total === undefined ? undefined : Math.ceil(total / perPage);
  const step = (to: number, name: string, icon: typeof NextIcon, enabled: boolean) => {
    const Icon = icon;
    const label = translateKey(`ra.navigation.${name}`);
    return (
      <IconButton size="small" aria-label={label} title={label} disabled={!enabled} onClick={() => setPage(to)}>
        <Icon />
      </IconButton>
    );
  };
  return (
    <Box
      component="nav"
      aria-label={translate('Pages')}
      sx={{
        ...{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', justifyContent: 'flex-end', gap: 1, py: 0.5 },
        // Always visible, even below a long page of rows.
        ...{ position: 'sticky', bottom: 0, zIndex: 2, bgcolor: 'background.default', typography: 'body2' },
        '& select': { font: 'inherit', color: 'inherit', bgcolor: 'background.paper', borderColor: 'divider', p: 0.5 },
      }}
    >
      {total === undefined && hasNextPage && onCountAll && (
        <Button size="small" onClick={onCountAll}>
          {translate('Count all')}
        </Button>
      )}
      {!isNarrow && (
        <label>
          {translateKey('ra.navigation.page_rows_per_page')}{' '}
          <select value={perPage} onChange={({ currentTarget }) => setPerPage(Number(currentTarget.value))}>
            {sizes.map((size) => (
              <option key={size}>{size}</option>
            ))}
          </select>
        </label>
      )}
      <span>
        {total === undefined && hasNextPage
          ? translateKey('ra.navigation.partial_page_range_info', range)
          : translateKey('ra.navigation.page_range_info', { ...range, total: total ?? range.offsetEnd })}
      </span>
      {step(page - 1, 'previous', PreviousIcon, page > 1)}
      {!isNarrow &&
        last !== undefined &&
        shownPages(page, last).map((pageNumber, i) =>
          pageNumber === undefined ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a gap has no name.
            <span key={`gap ${i}`}>…</span>
          ) : (
            <Button
              key={pageNumber}
              size="small"
              variant={pageNumber === page ? 'outlined' : 'text'}
              aria-current={pageNumber === page ? 'page' : undefined}
              aria-label={translateKey(pageNumber === page ? 'ra.navigation.current_page' : 'ra.navigation.page', {
                page: pageNumber,
              })}
              onClick={() => setPage(pageNumber)}
              sx={{ minWidth: 32, px: 1 }}
            >
              {pageNumber}
            </Button>
          ),
        )}
      {step(page + 1, 'next', NextIcon, hasNextPage ?? (last !== undefined && page < last))}
    </Box>
  );
}
