import ReplayIcon from '@mui/icons-material/Replay';
import { useRecordContext } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { throwFormError } from '../data/form-error.ts';
import { translate } from '../text/translate.ts';
import { ActionButton } from '../widgets/DialogButton.tsx';
import { useTask } from '../widgets/useTask.ts';

/** Sends a delivery again, even if it still waits. */
export function SendAgain() {
  const delivery = useRecordContext();
  const { busy, run } = useTask();
  if (!delivery || delivery.state === 'waiting') return null;
  const { id, webhook_id } = delivery;
  const webhooks = gatehouse.resource('webhooks');
  const send = () => webhooks.act(String(webhook_id), 'redeliveries', { deliveries: [id] }).catch(throwFormError);
  const again = () => void run(send, translate('The delivery is sent again.'));
  return <ActionButton label={translate('Send again')} icon={ReplayIcon} disabled={busy} onClick={again} />;
}
