import { DeleteWithConfirmButton, useNotify, useRecordContext, useRedirect } from 'react-admin';
import { useDescription } from './described.tsx';
import { removalOf, removeWarningOf, rowName, singularOf } from './presentation.ts';
import { sayRemoval, within } from './words.ts';

/** Removes the row that is shown, after asking. */
export function RemoveButton() {
  const description = useDescription();
  const row = useRecordContext();
  const notify = useNotify();
  const redirect = useRedirect();
  if (!row || !description.operations.has('delete')) return null;
  const removal = removalOf(description.name);
  const thing = singularOf(description);
  return (
    <DeleteWithConfirmButton
      mutationMode="pessimistic"
      label={sayRemoval(removal, 'word')}
      confirmTitle={sayRemoval(removal, 'one', { thing: within(thing), row: rowName(description, row) })}
      confirmContent={removeWarningOf(description.name)}
      confirmColor="warning"
      mutationOptions={{
        onSuccess: () => {
          notify(`${sayRemoval(removal, 'done', { what: thing })}.`, { type: 'success' });
          redirect('list', description.name);
        },
      }}
    />
  );
}
