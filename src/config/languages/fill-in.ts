import { formatMessage, type MessageValues, plainText } from './format-message.ts';
import { parseMessage } from './message-parts.ts';

/** A message in English, with its values: what a log and a terminal say. */
export const fillIn = (message: string, values: MessageValues): string =>
  formatMessage(parseMessage(message), values, 'en', plainText('en'));
