import {
  Button,
  Chip,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControlLabel,
  Radio,
  RadioGroup,
  Stack,
  Typography,
} from '@mui/material';
import { useState } from 'react';
import { RecordContextProvider } from 'react-admin';
import type { FieldDescription } from '../data/descriptions.ts';
import { Value } from '../rows/Value.tsx';
import { fieldLabel } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { type Choice, chosenChanges, type Difference, firstChoice } from './versions.ts';

interface Props {
  title: string;
  differences: readonly Difference[];
  /** Saves these changes over their version. */
  onSave: (changes: Record<string, unknown>) => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}

/** Somebody else saved the same row first: both versions side by side, and a choice for each field. */
export function ConflictDialog({ title, differences, onSave, onTakeTheirs, onClose }: Props) {
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  return (
    <Dialog open fullWidth maxWidth="md" onClose={onClose} aria-labelledby="conflict-title">
      <DialogTitle id="conflict-title">{title}</DialogTitle>
      <DialogContent>
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
      </DialogContent>
      <DialogActions>
        <Button color="inherit" onClick={onClose}>
          {say('Back to my form')}
        </Button>
        <Button onClick={onTakeTheirs}>{say('Take all of theirs')}</Button>
        <Button variant="contained" onClick={() => onSave(chosenChanges(differences, choices))}>
          {say('Save what is chosen')}
        </Button>
      </DialogActions>
    </Dialog>
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
        <FormControlLabel
          value="theirs"
          control={<Radio />}
          label={<Version of={say('Theirs')} field={field} is={theirs} />}
        />
        <FormControlLabel
          value="mine"
          control={<Radio />}
          label={<Version of={say('Mine')} field={field} is={mine} />}
        />
      </RadioGroup>
      <Typography variant="body2" component="div" sx={{ color: 'text.secondary' }}>
        {say('Before:')} <ShownValue field={field} is={before} />
      </Typography>
    </section>
  );
}

function Version({ of, field, is }: { of: string; field: FieldDescription; is: unknown }) {
  return (
    <>
      <Typography variant="caption" sx={{ color: 'text.secondary' }}>
        {of}
      </Typography>{' '}
      <ShownValue field={field} is={is} />
    </>
  );
}

const ShownValue = ({ field, is }: { field: FieldDescription; is: unknown }) => (
  <RecordContextProvider value={{ id: field.name, [field.name]: plain(is) }}>
    <Value field={field} linked={false} />
  </RecordContextProvider>
);

/** What is being typed as JSON, as what it means. */
const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
