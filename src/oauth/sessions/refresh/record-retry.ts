import type { Context } from '../../../database/context.ts';
import { networkOf } from '../../../http/network-of.ts';
import type { RequestSource } from '../../../http/request-source.ts';
import { recordEvent } from '../../../resources/audit/record-event.ts';
import type { SessionRow } from '../store/session-store.ts';
import { markRetried } from '../store/use-store.ts';

/**
 * A retry is rightly answered from wherever it comes: phones change networks. From another network or device than the
 * first attempt it may also be a second holder of the token, so the trail names it, once a generation.
 */
export async function recordRetry(context: Context, session: SessionRow, source: RequestSource): Promise<void> {
  const { id, generation, user_agent: firstAgent, retried_generation: recorded } = session;
  const firstAddress = session.rotated_address ?? session.address;
  const same = network(firstAddress) === network(source.address) && firstAgent === source.userAgent;
  if (same || (recorded !== null && recorded >= generation)) return;
  await context.database.db.transaction().execute(async (tx) => {
    if (!(await markRetried(tx, { id, generation }))) return;
    await recordEvent(context, tx, {
      type: 'refresh_token.retried',
      userId: session.user_id,
      clientId: session.client_id,
      sessionId: id,
      source,
      data: { generation, first_address: firstAddress, first_user_agent: firstAgent },
    });
  });
}

const network = (address: string | null): string | null => address && networkOf(address);
