import LoginIcon from '@mui/icons-material/LoginOutlined';
import { Button, useRecordContext } from 'react-admin';
import { root } from '../data/api.ts';
import { say } from '../text/say.ts';

/** Opens a sign-in at the provider that changes nothing here, and shows what came back. */
export function TestSignIn() {
  const provider = useRecordContext();
  if (!provider?.enabled) return null;
  return (
    <Button label={say('Test sign-in')} href={`${root}/login/with/${provider.id}/test`} target="_blank" rel="noopener">
      <LoginIcon />
    </Button>
  );
}
