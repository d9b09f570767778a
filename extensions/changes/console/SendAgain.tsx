import ReplayIcon from '@mui/icons-material/Replay';
import { type RaRecord, useRecordContext } from 'react-admin';
import { gatehouse } from '../../../console/src/data/api.ts';
import { throwFormError } from '../../../console/src/data/form-error.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { ActionButton } from '../../../console/src/widgets/DialogButton.tsx';
import { useTask } from '../../../console/src/widgets/useTask.ts';

/** Sends a delivery again, even if it waits for a retry. */
export function SendAgain() {
  const delivery = useRecordContext();
  const { busy, run } = useTask();
  if (!delivery) return null;
  const { id, webhook_id } = delivery;
  const webhooks = gatehouse.resource('webhooks');
  const send = () => webhooks.act(String(webhook_id), 'redeliveries', { deliveries: [id] }).catch(throwFormError);
  const again = () => void run(send, translate('The delivery is sent again.'));
  return <ActionButton label={translate('Send again')} icon={ReplayIcon} disabled={busy} onClick={again} />;
}

/** A delivery is sent shortly after it was requested. The table is read again until no delivery waits. */
export const untilDelivered = (rows: RaRecord[] = []): number | false =>
  rows.some(({ webhook_id, state }) => webhook_id && state === 'waiting') && 5000;
