import { Box, Button } from '@mui/material';
import { TextInput, type Validator } from 'react-admin';
import { useFormContext } from 'react-hook-form';
import { say } from '../text/say.ts';
import { laidOut, shownJson, typedJson } from './typed-json.ts';

interface Props {
  source: string;
  label: string;
  helperText: string | false;
  validate: Validator[];
}

/** An input for JSON. It is validated at each key press, and can be formatted. */
export function JsonInput(props: Props) {
  const { getValues, setValue, trigger } = useFormContext();
  return (
    <Box sx={{ width: '100%' }}>
      <TextInput
        {...props}
        multiline
        minRows={3}
        format={shownJson}
        parse={(text: string) => {
          // Shows the error at once, and not only after a save.
          setTimeout(() => void trigger(props.source));
          return typedJson(text);
        }}
        slotProps={{ htmlInput: { className: 'mono', spellCheck: false } }}
      />
      <Button
        size="small"
        onClick={() => setValue(props.source, laidOut(getValues(props.source)), { shouldDirty: true })}
      >
        {say('Format JSON')}
      </Button>
    </Box>
  );
}
