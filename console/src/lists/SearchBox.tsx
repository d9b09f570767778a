import ClearIcon from '@mui/icons-material/Clear';
import SearchIcon from '@mui/icons-material/Search';
import { IconButton, OutlinedInput } from '@mui/material';
import { useEffect, useRef, useState } from 'react';
import { useListContext } from 'react-admin';
import { say } from '../text/say.ts';

const pause = 500;

/** Searches all fields of `source` for a text when the person stops typing. */
export function SearchBox({ source, placeholder }: { source: string; placeholder: string }) {
  const { filterValues = {}, displayedFilters, setFilters } = useListContext();
  const asked = String(filterValues[source] ?? '');
  const sent = useRef(asked);
  const [typed, setTyped] = useState(asked);

  // A link or a reset can change the filters as well.
  useEffect(() => {
    if (asked !== sent.current) setTyped(asked);
    sent.current = asked;
  }, [asked]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed begins a search.
  useEffect(() => {
    if (typed === asked) return;
    const timer = setTimeout(() => {
      const { [source]: _, ...others } = filterValues;
      sent.current = typed;
      setFilters(typed === '' ? others : { ...others, [source]: typed }, displayedFilters);
    }, pause);
    return () => clearTimeout(timer);
  }, [typed]);

  return (
    <OutlinedInput
      size="small"
      value={typed}
      placeholder={placeholder}
      onChange={({ target }) => setTyped(target.value)}
      inputProps={{ 'aria-label': placeholder }}
      sx={{ flex: '1 1 160px', maxWidth: 360, bgcolor: 'background.paper' }}
      startAdornment={<SearchIcon fontSize="small" color="action" sx={{ mr: 1 }} />}
      endAdornment={
        typed !== '' && (
          <IconButton size="small" aria-label={say('Clear')} title={say('Clear')} onClick={() => setTyped('')}>
            <ClearIcon fontSize="small" />
          </IconButton>
        )
      }
    />
  );
}
