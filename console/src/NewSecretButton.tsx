import KeyIcon from '@mui/icons-material/KeyOutlined';
import { useState } from 'react';
import { Button, Confirm, useDataProvider, useNotify, useRecordContext } from 'react-admin';
import { Revealed, secretsIn } from './Revealed.tsx';

/** Makes a new secret for a client, and shows it once. */
export function NewSecretButton() {
  const client = useRecordContext();
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const [asking, setAsking] = useState(false);
  const [secrets, setSecrets] = useState<[string, string][]>();

  async function make() {
    setAsking(false);
    try {
      const { data } = await dataProvider.act('clients', { id: client?.id, action: 'secrets' });
      setSecrets(secretsIn(data));
    } catch (error) {
      notify((error as Error).message, { type: 'error' });
    }
  }

  if (!client || client.public) return null;
  return (
    <>
      <Button label="New secret" startIcon={<KeyIcon />} onClick={() => setAsking(true)} />
      <Confirm
        isOpen={asking}
        title={`New secret for “${client.name}”?`}
        content="Applications that use the old secret must be given the new one."
        onConfirm={() => void make()}
        onClose={() => setAsking(false)}
      />
      {secrets && <Revealed secrets={secrets} onClose={() => setSecrets(undefined)} />}
    </>
  );
}
