import { serveRequests } from '../../../src/platform/worker-thread.ts';
import { decryptLegacyRefreshToken, type RefreshPayload } from './defuse.ts';

export interface DecryptionRequest {
  readonly token: string;
  readonly appKey: Uint8Array;
}

serveRequests(
  ({ token, appKey }: DecryptionRequest): RefreshPayload | null => decryptLegacyRefreshToken(token, appKey) ?? null,
);
