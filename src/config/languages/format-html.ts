import { formatValue, type MessageValues, type Rendering } from './format-message.ts';

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&#34;'],
  ["'", '&#39;'],
]);
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => entities.get(char) as string);

/** The stretches that a message may have, and what they are in HTML. Another is left out, and what it holds is shown. */
const stretches = new Map([
  ['strong', ['<strong>', '</strong>']],
  ['em', ['<em>', '</em>']],
  ['code', ['<code>', '</code>']],
  ['app', ['<span class="app-name">', '</span>']],
  ['owner', ['<strong class="owner">', '</strong>']],
]);

/**
 * As HTML: every text and every value is escaped, and nothing but the stretches above makes an element. `<link>` leads to the
 * value of that name; a time carries its machine-readable form.
 */
export const asHtml = (language: string, values: MessageValues): Rendering => ({
  text: escapeHtml,
  value(_name, value, style) {
    const shown = escapeHtml(formatValue(value, style, language));
    if (shown === '' || (style !== 'date' && style !== 'time')) return shown;
    const at = new Date(value as string | number | Date).toISOString();
    return `<time datetime="${at}"${style === 'date' ? ' data-day' : ''}>${shown}</time>`;
  },
  stretch(name, inside) {
    if (name === 'link') return `<a href="${escapeHtml(String(values.link ?? ''))}">${inside}</a>`;
    const [open = '', close = ''] = stretches.get(name) ?? [];
    return open + inside + close;
  },
});
