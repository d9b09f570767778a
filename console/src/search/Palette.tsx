import { Box, Dialog, InputBase, Typography } from '@mui/material';
import visuallyHidden from '@mui/utils/visuallyHidden';
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useMemo, useState } from 'react';
import { useNavigate, useTheme } from 'react-admin';
import { useDescriptions } from '../data/DescriptionsProvider.tsx';
import { translate } from '../text/translate.ts';
import { addressOf, type Destination, fixedDestinations, matches } from './destinations.ts';
import { useSearchResults } from './useSearchResults.ts';

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
          ...{
            role: 'combobox',
            'aria-label': translate('Search everything'),
            'aria-expanded': true,
            'aria-autocomplete': 'list',
          },
          ...{
            'aria-controls': `${id}-list`,
            'aria-activedescendant': destinations.length > 0 ? optionId(current) : undefined,
          },
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
              <Typography
                variant="overline"
                color="textSecondary"
                component="div"
                role="presentation"
                sx={{ px: 2, lineHeight: 2 }}
              >
                {destination.group}
              </Typography>
            )}
            <Option
              destination={destination}
              id={optionId(i)}
              chosen={i === current}
              onPoint={() => setChosen(i)}
              onFollow={(event) => follow(destination, event.ctrlKey || event.metaKey || event.button === 1)}
            />
          </Box>
        ))}
      </Box>
      <Typography
        role="status"
        variant="body2"
        color="textSecondary"
        sx={{ px: 2, py: 1, borderTop: '1px solid', borderColor: 'divider' }}
      >
        {stateText(destinations.length, busy, failed)}
      </Typography>
    </Dialog>
  );
}

function stateText(count: number, busy: boolean, failed: string[]): string {
  if (busy) return translate('Searching…');
  const away = failed.length > 0 ? ` ${translate('{names} could not be searched.', { names: failed.join(', ') })}` : '';
  return translate('{count, plural, =0 {Nothing found.} one {One found.} other {# found.}}', { count }) + away;
}

interface OptionProps {
  destination: Destination;
  id: string;
  chosen: boolean;
  onPoint: () => void;
  onFollow: (event: MouseEvent) => void;
}

function Option({ destination: { name, detail }, id, chosen, onPoint, onFollow }: OptionProps) {
  return (
    <Box
      role="option"
      id={id}
      aria-selected={chosen}
      onMouseMove={onPoint}
      onClick={onFollow}
      onAuxClick={onFollow}
      sx={{
        ...{ px: 2, py: 0.75, cursor: 'pointer', overflowWrap: 'anywhere' },
        ...(chosen ? { bgcolor: 'action.selected', boxShadow: 'inset 3px 0 0 currentColor' } : {}),
      }}
    >
      {name}{' '}
      {detail !== undefined && (
        <Typography
          component="span"
          variant="body2"
          color={chosen ? 'inherit' : 'textSecondary'}
          sx={{ ml: { sm: 1 } }}
        >
          {detail}
        </Typography>
      )}
    </Box>
  );
}
