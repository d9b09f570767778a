import { formatValue, type MessageRenderer, type MessageValues } from './format-message.ts';

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&#34;'],
  ["'", '&#39;'],
]);
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => entities.get(char) ?? '');

/** The HTML of the tags in a message. The content of an unknown tag is shown without markup. */
const elements = new Map([
  ['strong', ['<strong>', '</strong>']],
  ['em', ['<em>', '</em>']],
  ['code', ['<code>', '</code>']],
  ['app', ['<span class="app-name">', '</span>']],
  ['owner', ['<strong class="owner">', '</strong>']],
]);

/**
 * Renders HTML. Texts and values are escaped; only the tags above become elements. `<link>` links to the value
 * `link`.
 */
export const htmlRenderer = (language: string, values: MessageValues): MessageRenderer => ({
  text: escapeHtml,
  value(_name, value, style) {
    const formatted = escapeHtml(formatValue(value, style, language));
    if (formatted === '' || (style !== 'date' && style !== 'time')) return formatted;
    const isoTime = new Date(value as string | number | Date).toISOString();
    return `<time datetime="${isoTime}"${style === 'date' ? ' data-day' : ''}>${formatted}</time>`;
  },
  tag(name, content) {
    if (name === 'link') return `<a href="${escapeHtml(String(values.link ?? ''))}">${content}</a>`;
    const [startTag = '', endTag = ''] = elements.get(name) ?? [];
    return startTag + content + endTag;
  },
});
