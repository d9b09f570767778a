import AddIcon from '@mui/icons-material/Add';
import EditIcon from '@mui/icons-material/EditOutlined';
import { Box, IconButton } from '@mui/material';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Button, ResourceContextProvider, useRecordContext } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import type { RelationDescription, ResourceDescription } from '../data/descriptions.ts';
import { rowName, singularOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { within } from '../text/words.ts';
import { RemoveButton } from './RemoveButtons.tsx';

const RowDialog = lazy(() => import('./RowDialog.tsx'));

type Tie = { field: string; value: unknown } | undefined;

/** The field of the related rows that refers to the shown row. */
export function useTie({ kind, by }: RelationDescription): Tie {
  const row = useRecordContext();
  return kind === 'hasMany' && by !== undefined && row ? { field: by, value: row.id } : undefined;
}

/** Creates a row that belongs to the shown row, if the reference field is writable. */
export function AddRelated({ tie, target }: { tie: Tie; target: ResourceDescription }) {
  const [isOpen, setOpen] = useState(false);
  const settable = target.fields.some(({ name, readOnly }) => name === tie?.field && !readOnly);
  if (!settable || !target.operations.has('create')) return null;
  return (
    <>
      <Button label={say('New {thing}', { thing: within(singularOf(target)) })} onClick={() => setOpen(true)}>
        <AddIcon />
      </Button>
      {isOpen && (
        <ResourceContextProvider value={target.name}>
          <Suspense>
            <RowDialog tie={tie} onClose={() => setOpen(false)} />
          </Suspense>
        </ResourceContextProvider>
      )}
    </>
  );
}

/** The buttons of a related row. `untie` removes the link and keeps the row. */
export function RelatedRowActions({ tie, untie }: { tie: Tie; untie?: ReactNode }) {
  return (
    <Box component="span" sx={{ display: 'inline-flex', whiteSpace: 'nowrap' }}>
      <EditRow tie={tie} />
      {untie ?? (tie && <RemoveButton small />)}
    </Box>
  );
}

function EditRow({ tie }: { tie: Tie }) {
  const description = useDescription();
  const row = useRecordContext();
  const [isOpen, setOpen] = useState(false);
  if (!row || !description.operations.has('update') || !description.operations.has('find')) return null;
  const label = say('Edit {row}', { row: rowName(description, row) });
  return (
    <>
      <IconButton size="small" aria-label={label} title={label} onClick={() => setOpen(true)}>
        <EditIcon fontSize="small" />
      </IconButton>
      {isOpen && (
        <Suspense>
          <RowDialog id={String(row.id)} tie={tie} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
