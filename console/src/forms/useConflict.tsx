import { Button, Chip, FormControlLabel, Radio, RadioGroup, Stack, Typography } from '@mui/material';
import { type ReactNode, type RefObject, useState } from 'react';
import { RecordContextProvider, useDataProvider, useNotify, useRefresh } from 'react-admin';
import { reasonOf } from '../../../src/platform/errors.ts';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import type { FieldDescription } from '../data/descriptions.ts';
import { ConflictError, FormError } from '../data/form-error.ts';
import { Value } from '../rows/Value.tsx';
import { fieldLabel, rowName, singularOf } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { ConfirmDialog } from '../widgets/ConfirmDialog.tsx';
import { type Choice, chosenChanges, type Difference, differencesOf, firstChoice } from './versions.ts';

interface Conflict {
  storedRow: { id: string; [field: string]: unknown };
  differences: Difference[];
}

interface Options {
  /** Called after a save. */
  onSaved: (id: string) => void;
  /** Set when the row is saved. */
  saved: RefObject<boolean>;
}

/**
 * Handles a save that was rejected because another person saved first. Returns a handler for the error, and the dialog in which the person
 * chooses.
 */
export function useConflict({ onSaved, saved }: Options): { onError: (error: unknown) => void; dialog: ReactNode } {
  const description = useDescription();
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const refresh = useRefresh();
  const [conflict, setConflict] = useState<Conflict>();
  const { name, fields } = description;

  async function onError(error: unknown) {
    // The form shows the error of a field beside that field.
    if (error instanceof FormError && error.body.errors) return;
    if (!(error instanceof ConflictError)) return notify(reasonOf(error), { type: 'error' });
    try {
      const { data: storedRow } = await dataProvider.getOne(name, { id: String(error.before.id) });
      setConflict({ storedRow, differences: differencesOf(fields, error.before, storedRow, error.changes) });
    } catch (failure) {
      notify(reasonOf(failure), { type: 'error' });
    }
  }

  async function save(changes: Record<string, unknown>) {
    if (!conflict) return;
    const { storedRow } = conflict;
    setConflict(undefined);
    try {
      await dataProvider.update(name, {
        id: storedRow.id,
        data: { ...storedRow, ...changes },
        previousData: storedRow,
      });
      saved.current = true;
      notify(translate('{thing} saved.', { thing: singularOf(description) }), { type: 'success' });
      refresh();
      onSaved(storedRow.id);
    } catch (error) {
      await onError(error);
    }
  }

  function acceptSavedVersion() {
    setConflict(undefined);
    refresh();
  }

  const dialog = conflict && (
    <ConflictDialog
      title={translate('Somebody else changed “{row}” meanwhile', { row: rowName(description, conflict.storedRow) })}
      differences={conflict.differences}
      onSave={(changes) => void save(changes)}
      onAcceptSaved={acceptSavedVersion}
      onClose={() => setConflict(undefined)}
    />
  );
  return { onError: (error) => void onError(error), dialog };
}

interface Props {
  title: string;
  differences: readonly Difference[];
  /** Saves these changes to the other person's version. */
  onSave: (changes: Record<string, unknown>) => void;
  onAcceptSaved: () => void;
  onClose: () => void;
}

/** Shown if another person saved the same row first. It shows both versions and lets the person choose for each field. */
function ConflictDialog({ title, differences, onSave, onAcceptSaved, onClose }: Props) {
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  return (
    <ConfirmDialog
      title={title}
      maxWidth="md"
      cancel={translate('Back to my form')}
      onClose={onClose}
      actions={<Button onClick={onAcceptSaved}>{translate('Take all of theirs')}</Button>}
      confirm={translate('Save my choices')}
      onConfirm={() => onSave(chosenChanges(differences, choices))}
    >
      <Typography sx={{ color: 'text.secondary', mb: 2 }}>
        {translate('Nothing is saved yet. Choose for each field which version to keep.')}
      </Typography>
      <Stack spacing={2}>
        {differences.map((difference) => (
          <FieldChoice
            key={difference.field.name}
            difference={difference}
            choice={choices[difference.field.name] ?? firstChoice(difference)}
            onChoose={(choice) => setChoices({ ...choices, [difference.field.name]: choice })}
          />
        ))}
      </Stack>
    </ConfirmDialog>
  );
}

interface ChoiceProps {
  difference: Difference;
  choice: Choice;
  onChoose: (choice: Choice) => void;
}

function FieldChoice({ difference: { field, before, theirs, mine, isContested }, choice, onChoose }: ChoiceProps) {
  const label = fieldLabel(field);
  return (
    <section aria-label={label}>
      <Typography component="h3" variant="subtitle2" sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
        {label}
        {isContested && <Chip size="small" color="warning" variant="outlined" label={translate('Both changed it')} />}
      </Typography>
      <RadioGroup
        aria-label={label}
        value={choice}
        onChange={(_, value) => onChoose(value as Choice)}
        sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' }, columnGap: 2 }}
      >
        {(['theirs', 'mine'] as const).map((version) => (
          <FormControlLabel
            key={version}
            value={version}
            control={<Radio />}
            label={
              <>
                <Typography variant="caption" sx={{ color: 'text.secondary' }}>
                  {version === 'theirs' ? translate('Theirs') : translate('Mine')}
                </Typography>{' '}
                <ShownValue field={field} is={version === 'theirs' ? theirs : mine} />
              </>
            }
          />
        ))}
      </RadioGroup>
      <Typography variant="body2" component="div" sx={{ color: 'text.secondary' }}>
        {translate('Before:')} <ShownValue field={field} is={before} />
      </Typography>
    </section>
  );
}

const ShownValue = ({ field, is }: { field: FieldDescription; is: unknown }) => (
  <RecordContextProvider value={{ id: field.name, [field.name]: plain(is) }}>
    <Value field={field} linked={false} />
  </RecordContextProvider>
);

/** The value of JSON while it is being typed. */
const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
