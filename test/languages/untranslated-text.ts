import { parseSync } from 'rolldown/utils';

interface Node {
  type: string;
  start: number;
  [property: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';
const nameOf = (node: unknown): string => (isNode(node) ? String(node.name ?? nameOf(node.property)) : '');

/** The functions that translate a sentence. */
const translators = new Set(['translate', 'findMessage', 'messageTemplate', 'translateKey']);
/** Texts for programs: styles, code that is shown as code, log messages. */
const notShown = new Set([
  'sx',
  'className',
  'style',
  'key',
  'RangeError',
  'TypeError',
  'Error',
  'closest',
  'matchMedia',
]);

const isSentence = (text: string): boolean => /\p{L}{2,}[,.:;]? \p{L}+|\{\w+\} \p{L}|\p{L} \{\w+\}/u.test(text);
const isWord = (text: string): boolean => /^\s*\p{Lu}\p{Ll}+[.:?!…]?\s*$/u.test(text);
/** `'& tbody td'`, with or without placeholders: a style follows. */
const isSelector = (key: unknown): boolean => {
  const [first] = isNode(key) ? ((key.quasis ?? [key]) as Node[]) : [];
  const text = (first?.value as { cooked?: string } | undefined)?.cooked ?? first?.value;
  return typeof text === 'string' && text.startsWith('&');
};
/** A part of a text with placeholders: `${count} failed`. */
const isPiece = (text: string): boolean => /(^|\s)\p{L}{2,}[,.:;]?(\s|$)/u.test(text);

/**
 * Finds texts in a source file of the console that would not be translated: a text in JSX, a word or sentence that is
 * shown without `translate()`, or a sentence in a table that the message files lack.
 */
export function untranslatedText(file: string, source: string, isMessage: (text: string) => boolean): string[] {
  const found: string[] = [];
  const report = (text: string, { start }: Node) =>
    found.push(`${file}:${source.slice(0, start).split('\n').length}: ${text.trim()}`);

  function visit(node: Node, isShown: boolean): void {
    if (/^(Import|ExportAll)|^TS(Type|Interface|Literal|Union)/.test(node.type)) return;
    if (notShown.has(nameOf(node.type === 'JSXAttribute' ? node.name : node.callee))) return;
    if (node.type === 'Property' && (notShown.has(nameOf(node.key)) || isSelector(node.key))) return;
    if (node.type === 'JSXText' && /\p{L}{2,}/u.test(String(node.value))) report(String(node.value), node);
    if (node.type === 'Literal' && typeof node.value === 'string') checkText(node, node.value, isShown);
    if (node.type === 'TemplateLiteral') {
      const pieces = (node.quasis as Node[]).map(({ value }) => (value as { cooked: string }).cooked);
      if (pieces.some(isPiece)) report(pieces.join('…'), node);
    }
    if (node.type === 'CallExpression' && translators.has(nameOf(node.callee))) {
      const [sentence, ...values] = node.arguments as Node[];
      if (sentence) checkTranslated(sentence);
      for (const value of values) visit(value, false);
      return;
    }
    // A string in a comparison is not shown.
    const shows = node.type !== 'BinaryExpression' && (isShown || /^JSX(Attribute|Expression)/.test(node.type));
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) visit(child, shows);
      }
    }
  }

  /** The sentence itself, or one of two alternatives. */
  function checkTranslated(node: Node): void {
    for (const part of node.type === 'ConditionalExpression' ? [node.consequent, node.alternate] : [node]) {
      const { value } = part as Node;
      if (typeof value === 'string' && !isMessage(value)) report(`${value} (no message)`, node);
    }
  }

  function checkText(node: Node, text: string, isShown: boolean): void {
    if (isShown ? isSentence(text) || isWord(text) : isSentence(text) && !isMessage(text)) report(text, node);
  }

  visit(read(file, source), false);
  return found;
}

function read(file: string, source: string): Node {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0 || !isNode(program)) throw new Error(`${file}: ${errors[0]?.message}`);
  return program;
}

/** The sentences of findings, `notice('mail', summary, fix)`, including texts in constants. */
export function findingTextsIn(file: string, source: string): string[] {
  const texts: string[] = [];
  const isFinding = (node: Node) => /^(notice|errorFinding|report)$/.test(nameOf(node.callee));
  function visit(node: Node): void {
    if (node.type === 'CallExpression' && isFinding(node)) {
      for (const argument of (node.arguments as Node[]).slice(1, 3)) {
        if (typeof argument.value === 'string') texts.push(argument.value);
      }
    }
    const named = node.type === 'VariableDeclarator' && /^(summary|fix)$/.test(nameOf(node.id)) ? node.init : undefined;
    if (isNode(named) && typeof named.value === 'string') texts.push(named.value);
    if (isNode(named) && named.type === 'TemplateLiteral') texts.push(source.slice(named.start, named.start + 40));
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
  }
  visit(read(file, source));
  return texts;
}
