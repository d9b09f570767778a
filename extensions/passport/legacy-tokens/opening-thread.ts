import { serveRequests } from '../../../src/platform/worker-thread.ts';
import { openLegacyRefreshToken, type RefreshPayload } from './defuse.ts';

export interface OpeningQuestion {
  readonly token: string;
  readonly appKey: Uint8Array;
}

serveRequests(
  ({ token, appKey }: OpeningQuestion): RefreshPayload | null => openLegacyRefreshToken(token, appKey) ?? null,
);
