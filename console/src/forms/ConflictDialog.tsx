import { Button, Chip, FormControlLabel, Radio, RadioGroup, Stack, Typography } from '@mui/material';
import { useState } from 'react';
import { RecordContextProvider } from 'react-admin';
import type { FieldDescription } from '../data/descriptions.ts';
import { Value } from '../rows/Value.tsx';
import { fieldLabel } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { AskDialog } from '../widgets/AskDialog.tsx';
import { type Choice, chosenChanges, type Difference, firstChoice } from './versions.ts';

interface Props {
  title: string;
  differences: readonly Difference[];
  /** Saves these changes to the other person's version. */
  onSave: (changes: Record<string, unknown>) => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}

/** Shown if another person saved the same row first. It shows both versions and lets the person choose for each field. */
export function ConflictDialog({ title, differences, onSave, onTakeTheirs, onClose }: Props) {
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  return (
    <AskDialog
      title={title}
      maxWidth="md"
      cancel={say('Back to my form')}
      onClose={onClose}
      actions={<Button onClick={onTakeTheirs}>{say('Take all of theirs')}</Button>}
      confirm={say('Save my choices')}
      onConfirm={() => onSave(chosenChanges(differences, choices))}
    >
      <Typography sx={{ color: 'text.secondary', mb: 2 }}>
        {say('Nothing is saved yet. Choose for each field which version to keep.')}
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
    </AskDialog>
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
        {isContested && <Chip size="small" color="warning" variant="outlined" label={say('Both changed it')} />}
      </Typography>
      <RadioGroup
        aria-label={label}
        value={choice}
        onChange={(_, value) => onChoose(value as Choice)}
        sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' }, columnGap: 2 }}
      >
        {(['theirs', 'mine'] as const).map((whose) => (
          <FormControlLabel
            key={whose}
            value={whose}
            control={<Radio />}
            label={
              <>
                <Typography variant="caption" sx={{ color: 'text.secondary' }}>
                  {whose === 'theirs' ? say('Theirs') : say('Mine')}
                </Typography>{' '}
                <ShownValue field={field} is={whose === 'theirs' ? theirs : mine} />
              </>
            }
          />
        ))}
      </RadioGroup>
      <Typography variant="body2" component="div" sx={{ color: 'text.secondary' }}>
        {say('Before:')} <ShownValue field={field} is={before} />
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
