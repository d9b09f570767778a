import { TextField } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { proofPrompt } from '../data/api.ts';
import { humanizeName } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { Prompt } from './Prompt.tsx';

/** Asks for the password or a code when the service requires a recent proof. */
export default function ProofDialog() {
  const { data: methods = ['password'] } = useQuery({ queryKey: ['proof-methods'], queryFn: proofPrompt.methods });
  return (
    <Prompt
      title={translate('Confirm that it’s you')}
      confirm={translate('Confirm')}
      onClose={proofPrompt.cancel}
      text={translate('This needs a recent confirmation. Your work here is kept.')}
      send={async (proof) => {
        const refusal = await proofPrompt.prove(proof);
        return refusal && translate(refusal);
      }}
    >
      {methods.map((name, i) => (
        <TextField
          key={name}
          name={name}
          label={translate(humanizeName(name))}
          type={name === 'password' ? 'password' : 'text'}
          autoComplete={name === 'password' ? 'current-password' : 'one-time-code'}
          autoFocus={i === 0}
        />
      ))}
    </Prompt>
  );
}
