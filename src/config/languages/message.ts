import type { MessageValues } from './format-message.ts';

/** A message in the language of its reader: a key of the message files, and values. */
export class Message {
  readonly key: string;
  readonly values: MessageValues;
  /** The text if no language has the key. */
  readonly fallback: LocalizedText | undefined;

  constructor(key: string, values: MessageValues, fallback: LocalizedText | undefined) {
    this.key = key;
    this.values = values;
    this.fallback = fallback;
  }
}

export type LocalizedText = Message | string;

export const message = (key: string, values: MessageValues = {}, fallback?: LocalizedText): Message =>
  new Message(key, values, fallback);
