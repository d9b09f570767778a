import type { MessageValues } from './format-message.ts';

/** Something to say, in whichever language the reader has: a key of the message files and its values. */
export class Message {
  readonly key: string;
  readonly values: MessageValues;
  /** The text if no language has the key. */
  readonly otherwise: LocalizedText | undefined;

  constructor(key: string, values: MessageValues, otherwise: LocalizedText | undefined) {
    this.key = key;
    this.values = values;
    this.otherwise = otherwise;
  }
}

/** A message, or text that is what it is. */
export type LocalizedText = Message | string;

export const message = (key: string, values: MessageValues = {}, otherwise?: LocalizedText): Message =>
  new Message(key, values, otherwise);
