import { DeleteWithConfirmButton, useNotify, useRecordContext, useRedirect } from 'react-admin';
import { useDescription } from './described.tsx';
import { humanised, removedWordOf, removeWarningOf, removeWordOf, rowName } from './presentation.ts';
import { say } from './say.ts';

/** Removes the row that is shown, after asking. */
export function RemoveButton() {
  const description = useDescription();
  const row = useRecordContext();
  const notify = useNotify();
  const redirect = useRedirect();
  if (!row || !description.operations.has('delete')) return null;
  const word = removeWordOf(description.name);
  const one = humanised(description.singular);
  return (
    <DeleteWithConfirmButton
      mutationMode="pessimistic"
      label={word}
      confirmTitle={say('{word} {thing} “{row}”?', { word, thing: one.toLowerCase(), row: rowName(description, row) })}
      confirmContent={removeWarningOf(description.name)}
      confirmColor="warning"
      mutationOptions={{
        onSuccess: () => {
          notify(`${one} ${removedWordOf(description.name)}.`, { type: 'success' });
          redirect('list', description.name);
        },
      }}
    />
  );
}
