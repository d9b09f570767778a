import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

export interface BcryptQuestion {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}
export interface BcryptAnswer {
  readonly id: number;
  readonly right: boolean;
}

parentPort?.on('message', ({ id, password, hash }: BcryptQuestion) => {
  parentPort?.postMessage({ id, right: compareSync(password, hash) } satisfies BcryptAnswer);
});
