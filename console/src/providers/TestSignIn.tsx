import KeyIcon from '@mui/icons-material/KeyOutlined';
import { Button } from '@mui/material';
import { useRecordContext } from 'react-admin';
import { root } from '../data/api.ts';
import { say } from '../text/say.ts';

/** Opens a sign-in at the provider that changes nothing here, and shows what came back. */
export function TestSignIn() {
  const provider = useRecordContext();
  if (!provider?.enabled) return null;
  const address = `${root}/login/with/${provider.id}/test`;
  return (
    <Button size="small" startIcon={<KeyIcon />} href={address} target="_blank" rel="noopener">
      {say('Test sign-in')}
    </Button>
  );
}
