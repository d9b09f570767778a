import type { KeyObject } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../worker-thread.ts';
import { signWith } from './signing.ts';

export interface SigningKeyData {
  readonly algorithm: string;
  readonly key: KeyObject;
}

const { algorithm, key } = workerData as SigningKeyData;

answerQuestions((texts: string[]): string[] => texts.map((text) => signWith(algorithm, key, text)));
