import { Button, Chip, FormControlLabel, Radio, RadioGroup, Stack } from '@mui/material';
import { useState } from 'react';
import { RecordContextProvider, useDataProvider, useNotify, useRefresh } from 'react-admin';
import { type FieldDescription, useDescription } from '../../../console/src/data/DescriptionsProvider.tsx';
import { ConflictError, FormError } from '../../../console/src/data/form-error.ts';
import { Value } from '../../../console/src/rows/Value.tsx';
import { fieldLabel, rowName, singularOf } from '../../../console/src/text/presentation.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { ConfirmDialog } from '../../../console/src/widgets/ConfirmDialog.tsx';
import { reasonOf } from '../../../src/platform/errors.ts';
import { type Choice, chosenChanges, type Difference, differencesOf, firstChoice } from './versions.ts';

interface Conflict {
  storedRow: { id: string; [field: string]: unknown };
  differences: Difference[];
  choices: Record<string, Choice>;
}

/**
 * Handles a save that was rejected because another person saved first. Returns a handler for the error, and the dialog in which the person
 * chooses.
 */
export function useConflict(onSaved: (id: string) => void) {
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
      const differences = differencesOf(fields, error.before, storedRow, error.changes);
      setConflict({ storedRow, differences, choices: {} });
    } catch (failure) {
      notify(reasonOf(failure), { type: 'error' });
    }
  }

  async function save({ storedRow, differences, choices }: Conflict) {
    close();
    try {
      const data = { ...storedRow, ...chosenChanges(differences, choices) };
      await dataProvider.update(name, { id: storedRow.id, data, previousData: storedRow });
      notify(translate('{thing} saved.', { thing: singularOf(description) }), { type: 'success' });
      refresh();
      onSaved(storedRow.id);
    } catch (error) {
      await onError(error);
    }
  }

  const close = () => setConflict(undefined);
  function takeTheirs() {
    close();
    refresh();
  }
  const dialog = conflict && (
    <ConfirmDialog
      title={translate('Somebody else changed “{row}” in the meantime', {
        row: rowName(description, conflict.storedRow),
      })}
      text={translate('Nothing is saved yet. Choose for each field which version to keep.')}
      maxWidth="md"
      cancel={translate('Back to my form')}
      onClose={close}
      actions={<Button onClick={takeTheirs}>{translate('Take all of theirs')}</Button>}
      confirm={translate('Save my choices')}
      onConfirm={() => void save(conflict)}
    >
      <Stack spacing={2}>
        {conflict.differences.map((difference) => (
          <FieldChoice
            key={difference.field.name}
            difference={difference}
            choice={conflict.choices[difference.field.name] ?? firstChoice(difference)}
            onChoose={(choice) =>
              setConflict({ ...conflict, choices: { ...conflict.choices, [difference.field.name]: choice } })
            }
          />
        ))}
      </Stack>
    </ConfirmDialog>
  );
  return { onError: (error: unknown) => void onError(error), dialog };
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
      <h3 className="label">
        {label}{' '}
        {isContested && <Chip size="small" color="warning" variant="outlined" label={translate('Both changed it')} />}
      </h3>
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
                <span className="caption quiet">{version === 'theirs' ? translate('Theirs') : translate('Mine')}</span>{' '}
                <ShownValue field={field} is={version === 'theirs' ? theirs : mine} />
              </>
            }
          />
        ))}
      </RadioGroup>
      <div className="small quiet">
        {translate('Before:')} <ShownValue field={field} is={before} />
      </div>
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
