import { Box, Dialog, InputBase } from '@mui/material';
import visuallyHidden from '@mui/utils/visuallyHidden';
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useMemo, useState } from 'react';
import { useNavigate, useTheme } from 'react-admin';
import { useDescriptions } from '../../../console/src/data/DescriptionsProvider.tsx';
import { translate } from '../../../console/src/text/translate.ts';
import { addressOf, type Destination, fixedDestinations, matches, useSearchResults } from './destinations.ts';

/** The command palette: the person types, moves with the arrow keys and confirms with Enter. */
export default function Palette({ onClose, onInvite }: { onClose: () => void; onInvite: () => void }) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const descriptions = useDescriptions();
  const { rows, busy, failed } = useSearchResults(typed);
  const navigate = useNavigate();
  const [theme, setTheme] = useTheme();
  const id = useId();

  const fixed = useMemo(() => fixedDestinations(descriptions.values()), [descriptions]);
  const destinations = [
    ...(typed.trim().length > 1 ? rows : []),
    ...fixed.filter((destination) => matches(destination, typed.trim())),
  ];
  const current = Math.min(chosen, destinations.length - 1);
  const optionId = (i: number) => `${id}-${i}`;

  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, current]);

  function follow(destination: Destination, elsewhere: boolean) {
    if (destination.act === undefined && elsewhere)
      return void window.open(addressOf(destination), '_blank', 'noopener');
    onClose();
    if (destination.act === 'invite') onInvite();
    else if (destination.act === 'theme') setTheme(theme === 'dark' ? 'light' : 'dark');
    else if (destination.leaves) location.assign(addressOf(destination));
    else navigate(destination.to ?? '/');
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && destinations.length > 0) {
      event.preventDefault();
      setChosen((current + step + destinations.length) % destinations.length);
    } else if (event.key === 'Enter' && destinations[current]) {
      event.preventDefault();
      follow(destinations[current], event.ctrlKey || event.metaKey);
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      aria-labelledby={`${id}-title`}
      sx={{
        '& .MuiDialog-container': { alignItems: 'flex-start' },
        '& .MuiDialog-paper': { mt: { xs: 2, sm: '10vh' }, mx: 2 },
      }}
    >
      <Box component="h2" id={`${id}-title`} sx={visuallyHidden}>
        {translate('Search everything')}
      </Box>
      <InputBase
        autoFocus
        fullWidth
        placeholder={translate('Search people, clients, rows, settings and actions')}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        sx={{ px: 2, py: 1.5, borderBottom: '1px solid', borderColor: 'divider' }}
        inputProps={{
          ...{ role: 'combobox', 'aria-label': translate('Search everything'), 'aria-expanded': true },
          ...{ 'aria-autocomplete': 'list', 'aria-controls': `${id}-list` },
          'aria-activedescendant': destinations.length > 0 ? optionId(current) : undefined,
        }}
      />
      <Box
        role="listbox"
        id={`${id}-list`}
        aria-label={translate('Found')}
        sx={{ overflowY: 'auto', maxHeight: '60vh', py: 1 }}
      >
        {destinations.map((destination, i) => (
          <Box key={destination.id} role="presentation">
            {destination.group !== destinations[i - 1]?.group && (
              <Box className="overline" role="presentation" sx={{ px: 2 }}>
                {destination.group}
              </Box>
            )}
            <Box
              role="option"
              id={optionId(i)}
              aria-selected={i === current}
              onMouseMove={() => setChosen(i)}
              onClick={(event: MouseEvent) => follow(destination, event.ctrlKey || event.metaKey)}
              onAuxClick={(event: MouseEvent) => follow(destination, event.button === 1)}
              sx={{
                ...{ px: 2, py: 0.75, cursor: 'pointer', overflowWrap: 'anywhere' },
                ...(i === current && { bgcolor: 'action.selected', boxShadow: 'inset 3px 0 0 currentColor' }),
              }}
            >
              {destination.name}{' '}
              {destination.detail !== undefined && (
                <span className={i === current ? 'detail small' : 'detail small quiet'}>{destination.detail}</span>
              )}
            </Box>
          </Box>
        ))}
      </Box>
      <Box role="status" className="small quiet" sx={{ px: 2, py: 1, borderTop: '1px solid', borderColor: 'divider' }}>
        {stateText(destinations.length, busy, failed)}
      </Box>
    </Dialog>
  );
}

function stateText(count: number, busy: boolean, failed: string[]): string {
  if (busy) return translate('Searching…');
  const away = failed.length > 0 ? ` ${translate('{names} could not be searched.', { names: failed.join(', ') })}` : '';
  return translate('{count, plural, =0 {Nothing found.} one {One found.} other {# found.}}', { count }) + away;
}
