import { invalidParameter, unknownName } from '../../http/errors/parameter-errors.ts';
import { isOneOf } from '../../platform/is-one-of.ts';
import { splitList } from '../../platform/split-list.ts';
import type { Comparison } from '../declaration/access.ts';
import type { SearchTerm } from '../declaration/fields/field-type.ts';

/** The parsed form of `field:value`. For `name|email:value`, one of several fields must match. */
export interface SearchPair {
  readonly field: string;
  readonly operator: Comparison;
  readonly terms: readonly SearchTerm[];
}

const fieldOperators = ['=', 'like', 'in'] as const;
type FieldOperator = (typeof fieldOperators)[number];

const maxPairs = 20;
const maxTerms = 100;
const maxWildcards = 10;
/** The length limit of a text with wildcards: a search takes up to the product of both lengths. */
const maxWildcardLength = 255;
const escapable = ';,*\\';

/** Splits at a character that no backslash precedes. The parts keep their escapes. */
function splitUnescaped(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\' && escapable.includes(text[i + 1] ?? ' ')) i++;
    else if (text[i] === separator) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** A backslash before any character other than `; , * \` is an ordinary character. */
const withoutEscapes = (text: string): string => text.replace(/\\([;,*\\])/g, '$1');

const endsInWildcard = (text: string): boolean => {
  if (!text.endsWith('*')) return false;
  let backslashes = 0;
  while (text[text.length - 2 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 0;
};

/** Spaces after a separator are ignored. Other white space belongs to the value. */
const withoutLeadingSpaces = (text: string): string => text.replace(/^ +/, '');

function readTerm(rawText: string): SearchTerm {
  const text = withoutLeadingSpaces(rawText);
  if (text === '*') return { text: '', isNull: false, wildcardBefore: true, wildcardAfter: true };
  const wildcardBefore = text.startsWith('*');
  const wildcardAfter = endsInWildcard(text);
  return {
    text: withoutEscapes(text.slice(wildcardBefore ? 1 : 0, wildcardAfter ? -1 : undefined)),
    isNull: text === 'null',
    wildcardBefore,
    wildcardAfter,
  };
}

const readExactTerm = (text: string): SearchTerm => ({
  text: withoutEscapes(withoutLeadingSpaces(text)),
  isNull: false,
  wildcardBefore: false,
  wildcardAfter: false,
});

/** Longer ones first. */
const writtenComparisons = ['>=', '<=', '!=', '>', '<'] as const;

function readValue(value: string): Pick<SearchPair, 'operator' | 'terms'> {
  const operator = writtenComparisons.find((each) => value.startsWith(each)) ?? '=';
  const valueText = operator === '=' ? value : value.slice(operator.length);
  return { operator, terms: splitUnescaped(valueText, ',').map(readTerm) };
}

function readValueAs(operator: FieldOperator, value: string): Pick<SearchPair, 'operator' | 'terms'> {
  if (operator === '=') return { operator: '=', terms: [readExactTerm(value)] };
  if (operator === 'in') return { operator: '=', terms: splitUnescaped(value, ',').map(readExactTerm) };
  const term = readTerm(value);
  const wildcardTerm =
    term.wildcardBefore || term.wildcardAfter
      ? term
      : { ...term, isNull: false, wildcardBefore: true, wildcardAfter: true };
  return { operator: '=', terms: [wildcardTerm] };
}

/** The pairs of a search. The outer lists are combined with "and", the inner ones with "or". */
export function readSearch(text: string, operators: ReadonlyMap<string, FieldOperator>): SearchPair[][] {
  const pairTexts = splitUnescaped(text, ';').filter((pairText) => withoutLeadingSpaces(pairText) !== '');
  limitPairs(pairTexts.length);
  const groups = pairTexts.map((pairText) => readPairs(pairText, operators));
  limitPairs(groups.flat().length);
  limitWildcards(groups);
  return groups;
}

function limitPairs(count: number): void {
  if (count > maxPairs) throw invalidParameter(`search: at most ${maxPairs} pairs can be searched at once.`);
}

/** `field:value`, or `field|field:value`. */
function readPairs(pairText: string, operators: ReadonlyMap<string, FieldOperator>): SearchPair[] {
  const colon = pairText.indexOf(':');
  if (colon < 0) throw invalidParameter('search: write pairs of field:value, separated by ;');
  const value = withoutLeadingSpaces(pairText.slice(colon + 1));
  const fields = pairText
    .slice(0, colon)
    .split('|', maxPairs + 1)
    .map((field) => field.trim());
  return fields.map((field) => {
    const operator = operators.get(field);
    const parsed = operator ? readValueAs(operator, value) : readValue(value);
    if (parsed.terms.length > maxTerms) {
      throw invalidParameter(`search: "${field.slice(0, 60)}" has more than ${maxTerms} values.`);
    }
    return { field, ...parsed };
  });
}

function limitWildcards(groups: readonly (readonly SearchPair[])[]): void {
  let count = 0;
  for (const { field, terms, isGroup } of groups.flatMap(withGroupFlag)) {
    for (const { text, wildcardBefore, wildcardAfter } of terms) {
      if (!wildcardBefore && !wildcardAfter) continue;
      // A search box searches one text in several fields. It counts once for each field.
      count += isGroup ? 1 : Number(wildcardBefore) + Number(wildcardAfter);
      if (text.length > maxWildcardLength) {
        throw invalidParameter(
          `search: "${field.slice(0, 60)}" has a text with a wildcard of more than ${maxWildcardLength} characters.`,
        );
      }
    }
  }
  if (count > maxWildcards) {
    throw invalidParameter(`search: at most ${maxWildcards} wildcards in one search; this one has ${count}.`);
  }
}

const withGroupFlag = (group: readonly SearchPair[]) => group.map((pair) => ({ ...pair, isGroup: group.length > 1 }));

/** `name:like;email:=`. A field without an operator uses the syntax of `search`. */
export function readSearchFields(text: string, requireSearchable: (field: string) => void): Map<string, FieldOperator> {
  const operators = new Map<string, FieldOperator>();
  for (const fieldText of splitList(text, ';')) {
    const colon = fieldText.indexOf(':');
    const field = (colon < 0 ? fieldText : fieldText.slice(0, colon)).trim();
    requireSearchable(field);
    if (colon < 0) continue;
    const operator = fieldText
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    if (!isOneOf(fieldOperators, operator)) {
      throw unknownName('searchFields: the operator', operator, fieldOperators, 'operator_unknown');
    }
    operators.set(field, operator);
  }
  return operators;
}
