import type { KeyObject } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../platform/worker-thread.ts';
import { signJws, type Unsigned } from './signing.ts';

export interface SigningKeyData {
  readonly algorithm: string;
  readonly key: KeyObject;
}

const { algorithm, key } = workerData as SigningKeyData;

serveRequests((batch: Unsigned[]): string[] => batch.map((unsigned) => signJws(algorithm, key, unsigned)));
