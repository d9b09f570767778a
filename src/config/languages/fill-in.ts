import { formatMessage, type MessageValues, plainText } from './format-message.ts';
import { parseMessage } from './message-parts.ts';

/** The English text of a message, for logs and terminals. */
export const fillIn = (message: string, values: MessageValues): string =>
  formatMessage(parseMessage(message), values, 'en', plainText('en'));
