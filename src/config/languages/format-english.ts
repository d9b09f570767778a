import { formatMessage, type MessageValues, textRenderer } from './format-message.ts';
import { parseMessage } from './message-parts.ts';

/** The English text of a message, for logs and terminals. */
export const formatEnglish = (message: string, values: MessageValues): string =>
  formatMessage(parseMessage(message), values, 'en', textRenderer('en'));
