import type { KeyObject } from 'node:crypto';
import { answerQuestions } from '../worker-thread.ts';
import { signWith } from './signing.ts';

export interface SigningQuestion {
  readonly algorithm: string;
  readonly key: KeyObject;
  readonly texts: readonly string[];
}

answerQuestions(({ algorithm, key, texts }: SigningQuestion): string[] =>
  texts.map((text) => signWith(algorithm, key, text)),
);
