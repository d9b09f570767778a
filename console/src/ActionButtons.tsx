import { useState } from 'react';
import { Button, Confirm, useDataProvider, useNotify, useRecordContext, useRefresh } from 'react-admin';
import { useDescription } from './described.tsx';
import type { ActionDescription } from './descriptions.ts';
import { humanised, isOwn, rowName } from './presentation.ts';

/** A button for each action that an operator declared on the row. */
export function ActionButtons() {
  const description = useDescription();
  if (isOwn(description)) return null;
  return description.actions.map((action) => <ActionButton key={action.name} action={action} />);
}

function ActionButton({ action: { name, summary } }: { action: ActionDescription }) {
  const description = useDescription();
  const row = useRecordContext();
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const refresh = useRefresh();
  const [asking, setAsking] = useState(false);
  if (!row) return null;

  async function act() {
    setAsking(false);
    try {
      await dataProvider.act(description.name, { id: row?.id, action: name });
      notify(`${humanised(name)}: done.`, { type: 'success' });
      refresh();
    } catch (error) {
      notify((error as Error).message, { type: 'error' });
    }
  }

  return (
    <>
      <Button label={humanised(name)} onClick={() => setAsking(true)} />
      <Confirm
        isOpen={asking}
        title={`${humanised(name)}: ${rowName(description, row)}`}
        content={summary}
        onConfirm={() => void act()}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
