import { BulkDeleteWithConfirmButton, DeleteWithConfirmButton, useRecordContext } from 'react-admin';
import { useDescription } from './described.tsx';
import { humanised, removeWarningOf, removeWordOf, rowName } from './presentation.ts';

/** Removes the row that is shown, after asking. */
export function RemoveButton() {
  const description = useDescription();
  const row = useRecordContext();
  if (!row || !description.operations.has('delete')) return null;
  const word = removeWordOf(description.name);
  return (
    <DeleteWithConfirmButton
      mutationMode="pessimistic"
      label={word}
      confirmTitle={`${word} ${humanised(description.singular).toLowerCase()} “${rowName(description, row)}”?`}
      confirmContent={removeWarningOf(description.name)}
      mutationOptions={{}}
    />
  );
}

export function RemoveSelectedButton({ word, warning }: { word: string; warning: string }) {
  return (
    <BulkDeleteWithConfirmButton
      mutationMode="pessimistic"
      label={word}
      confirmTitle={`${word} what is selected?`}
      confirmContent={warning}
    />
  );
}
