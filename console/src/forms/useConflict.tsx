import { type ReactNode, type RefObject, useState } from 'react';
import { useDataProvider, useNotify, useRefresh } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import { ConflictError, FormError } from '../data/form-error.ts';
import { rowName, singularOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { ConflictDialog } from './ConflictDialog.tsx';
import { type Difference, differencesOf } from './versions.ts';

interface Quarrel {
  theirs: { id: string; [field: string]: unknown };
  differences: Difference[];
}

interface Options {
  /** Called after a save. */
  leave: (id: string) => void;
  /** Set when the row is saved. */
  saved: RefObject<boolean>;
}

/**
 * Handles a save that was refused because another person saved first. Returns a handler for the error, and the dialog in which the person
 * chooses.
 */
export function useConflict({ leave, saved }: Options): { onError: (error: unknown) => void; dialog: ReactNode } {
  const description = useDescription();
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const refresh = useRefresh();
  const [quarrel, setQuarrel] = useState<Quarrel>();
  const { name, fields } = description;

  async function onError(error: unknown) {
    // The form shows the error of a field beside that field.
    if (error instanceof FormError && error.body.errors) return;
    if (!(error instanceof ConflictError)) return notify(messageOf(error), { type: 'error' });
    try {
      const { data: theirs } = await dataProvider.getOne(name, { id: String(error.before.id) });
      setQuarrel({ theirs, differences: differencesOf(fields, error.before, theirs, error.changes) });
    } catch (failure) {
      notify(messageOf(failure), { type: 'error' });
    }
  }

  async function save(changes: Record<string, unknown>) {
    if (!quarrel) return;
    const { theirs } = quarrel;
    setQuarrel(undefined);
    try {
      await dataProvider.update(name, { id: theirs.id, data: { ...theirs, ...changes }, previousData: theirs });
      saved.current = true;
      notify(say('{thing} saved.', { thing: singularOf(description) }), { type: 'success' });
      refresh();
      leave(theirs.id);
    } catch (error) {
      await onError(error);
    }
  }

  function takeTheirs() {
    setQuarrel(undefined);
    refresh();
  }

  const dialog = quarrel && (
    <ConflictDialog
      title={say('Somebody else changed “{row}” meanwhile', { row: rowName(description, quarrel.theirs) })}
      differences={quarrel.differences}
      onSave={(changes) => void save(changes)}
      onTakeTheirs={takeTheirs}
      onClose={() => setQuarrel(undefined)}
    />
  );
  return { onError: (error) => void onError(error), dialog };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
