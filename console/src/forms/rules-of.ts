import { maxLength, maxValue, minLength, minValue, regex, required, type Validator } from 'react-admin';
import type { FieldDescription } from '../data/descriptions.ts';
import { fieldLabel } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { compilePattern } from './compile-pattern.ts';
import { validateJson } from './typed-json.ts';

/** The rules that the console can check itself. The service checks the rest. */
export function rulesOf(field: FieldDescription): Validator[] {
  const { type, min, max, pattern, hint } = field;
  const rules: Validator[] = [];
  if (field.required && field.default === undefined) rules.push(required());
  if (type === 'integer' || type === 'number') {
    if (min !== undefined) rules.push(minValue(min));
    if (max !== undefined) rules.push(maxValue(max));
  }
  if (type === 'decimal') rules.push(regex(decimalPattern(field), decimalError(field)));
  if (type === 'json') rules.push(validateJson);
  if (type === 'text') {
    if (min !== undefined) rules.push(minLength(min));
    if (max !== undefined) rules.push(maxLength(max));
    const expression = pattern === undefined ? undefined : compilePattern(pattern);
    if (expression) rules.push(regex(expression, formatError(fieldLabel(field), hint)));
  }
  return rules;
}

/** The service removes insignificant zeros, and people omit them. */
function decimalPattern({ precision = 65, scale = 0, min = -1 }: FieldDescription): RegExp {
  const fraction = scale === 0 ? '' : `(\\.\\d{1,${scale}})?`;
  return new RegExp(`^${min < 0 ? '-?' : ''}\\d{1,${Math.max(1, precision - scale)}}${fraction}$`);
}

const decimalError = ({ precision = 65, scale = 0 }: FieldDescription): string =>
  translate('Use a number with at most {whole} digits before and {scale} after the point.', {
    whole: Math.max(1, precision - scale),
    scale,
  });

const formatError = (field: string, hint: string | undefined): string =>
  hint === undefined
    ? translate('{field} does not have the right form.', { field })
    : translate('{field} does not have the right form: {hint}', { field, hint: translate(hint) });
