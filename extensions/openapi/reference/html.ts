import { escapeHtml } from '../../../src/config/languages/format-html.ts';

/** Safe HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | false | null | undefined | readonly Piece[];

function written(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (piece === false || piece === null || piece === undefined) return '';
  return typeof piece === 'object' ? piece.map(written).join('') : escapeHtml(String(piece));
}

/** A template for HTML. Values are escaped, except `Html`. Lists are concatenated. */
export const html = (texts: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(texts.map((text, i) => text + written(pieces[i])).join(''));

const marks: readonly [RegExp, string][] = [
  [/`([^`]+)`/g, '<code>$1</code>'],
  [/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'],
  [/\*([^*\s][^*]*)\*/g, '<em>$1</em>'],
];

/** The inline Markdown that descriptions use. */
export const inlineMarkdown = (text: string): Html =>
  new Html(
    escapeHtml(text)
      .split(/(`[^`]+`)/)
      .map((part) =>
        (part.startsWith('`') ? marks.slice(0, 1) : marks).reduce((done, [mark, by]) => done.replace(mark, by), part),
      )
      .join(''),
  );

/** Descriptions with several paragraphs. */
export const paragraphs = (text: string): Html =>
  html`${text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => html`<p>${inlineMarkdown(paragraph.replaceAll('\n', ' '))}</p>`)}`;
