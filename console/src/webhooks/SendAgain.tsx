import ReplayIcon from '@mui/icons-material/Replay';
import { Button, useDataProvider, useRecordContext } from 'react-admin';
import { translate } from '../text/translate.ts';
import { useTask } from '../widgets/useTask.ts';

/** Sends a delivery again, even if it still waits. */
export function SendAgain() {
  const delivery = useRecordContext();
  const dataProvider = useDataProvider();
  const { busy, run } = useTask();
  if (!delivery || delivery.state === 'waiting') return null;
  const { id, webhook_id: webhook } = delivery;
  const send = () => dataProvider.act('webhooks', { id: webhook, action: 'redeliveries', body: { deliveries: [id] } });
  return (
    <Button
      label={translate('Send again')}
      disabled={busy}
      onClick={() => void run(send, translate('The delivery is sent again.'))}
    >
      <ReplayIcon />
    </Button>
  );
}
