import ClearIcon from '@mui/icons-material/Clear';
import SearchIcon from '@mui/icons-material/Search';
import { IconButton } from '@mui/material';
import { useEffect, useRef, useState } from 'react';
import { useListContext } from 'react-admin';
import { translate } from '../text/translate.ts';

const debounceMs = 500;

/** Searches all fields of `source` for a text when the person stops typing. It looks like MUI's input, which is 5 kB. */
export function SearchBox({ source, placeholder }: { source: string; placeholder: string }) {
  const { filterValues = {}, displayedFilters, setFilters } = useListContext();
  const searched = String(filterValues[source] ?? '');
  const lastSearch = useRef(searched);
  const [typed, setTyped] = useState(searched);

  // A link or a reset can change the filters as well.
  useEffect(() => {
    if (searched !== lastSearch.current) setTyped(searched);
    lastSearch.current = searched;
  }, [searched]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed begins a search.
  useEffect(() => {
    if (typed === searched) return;
    const timer = setTimeout(() => {
      const { [source]: _, ...otherFilters } = filterValues;
      lastSearch.current = typed;
      setFilters(typed === '' ? otherFilters : { ...otherFilters, [source]: typed }, displayedFilters);
    }, debounceMs);
    return () => clearTimeout(timer);
  }, [typed]);

  return (
    <div className="search-box">
      <SearchIcon fontSize="small" color="action" />
      <input
        value={typed}
        placeholder={placeholder}
        aria-label={placeholder}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {typed !== '' && (
        <IconButton
          size="small"
          aria-label={translate('Clear')}
          title={translate('Clear')}
          onClick={() => setTyped('')}
        >
          <ClearIcon fontSize="small" />
        </IconButton>
      )}
    </div>
  );
}
