import AddIcon from '@mui/icons-material/Add';
import DensityIcon from '@mui/icons-material/DensityMedium';
import { IconButton } from '@mui/material';
import {
  Button,
  ColumnsButton,
  FilterButton,
  Link,
  SortButton,
  TopToolbar,
  useCreatePath,
  useStore,
} from 'react-admin';
import { useDescription } from '../data/described.tsx';
import { InviteButton } from '../people/InviteButton.tsx';
import { CodeButton } from '../rows/CodePanel.tsx';
import { say } from '../text/say.ts';
import { TransferButton } from '../transfer/TransferButton.tsx';
import { useNarrow } from '../widgets/narrow.ts';
import { densityKey } from './Rows.tsx';

/** What can be done with a list as a whole. */
export function ListActions() {
  const description = useDescription();
  const narrow = useNarrow();
  const createPath = useCreatePath();
  const { name, operations, fields } = description;
  const sortable = fields.filter((field) => field.sortable).map((field) => field.name);
  return (
    <TopToolbar sx={{ flexWrap: 'wrap', justifyContent: 'flex-end', minWidth: 0 }}>
      <FilterButton />
      {narrow ? sortable.length > 0 && <SortButton fields={sortable} /> : <ColumnsButton />}
      {!narrow && <DensityButton />}
      <TransferButton />
      <CodeButton />
      {name === 'users' && operations.has('create') && <InviteButton />}
      {operations.has('create') && (
        <Button component={Link} to={createPath({ resource: name, type: 'create' })} label={say('Create')}>
          <AddIcon />
        </Button>
      )}
    </TopToolbar>
  );
}

function DensityButton() {
  const [density, setDensity] = useStore<'small' | 'medium'>(densityKey, 'small');
  const label = density === 'small' ? say('Rows further apart') : say('Rows closer together');
  return (
    <IconButton
      size="small"
      color="primary"
      aria-label={label}
      title={label}
      onClick={() => setDensity(density === 'small' ? 'medium' : 'small')}
    >
      <DensityIcon fontSize="small" />
    </IconButton>
  );
}
