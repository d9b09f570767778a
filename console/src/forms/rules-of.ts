import { maxLength, maxValue, minLength, minValue, regex, required, type Validator } from 'react-admin';
import type { FieldDescription } from '../data/descriptions.ts';
import { say } from '../text/say.ts';
import { mustBeJson } from './typed-json.ts';

/** The rules that can be checked without asking the service. The service checks the rest. */
export function rulesOf({ type, min, max, pattern, hint, ...field }: FieldDescription): Validator[] {
  const rules: Validator[] = [];
  if (field.required && field.default === undefined) rules.push(required());
  if (type === 'integer' || type === 'number') {
    if (min !== undefined) rules.push(minValue(min));
    if (max !== undefined) rules.push(maxValue(max));
  }
  if (type === 'json') rules.push(mustBeJson);
  if (type === 'text') {
    if (min !== undefined) rules.push(minLength(min));
    if (max !== undefined) rules.push(maxLength(max));
    const wanted = hint === undefined ? say('This does not have the right form.') : say(hint);
    if (pattern !== undefined) rules.push(regex(new RegExp(pattern, 'u'), wanted));
  }
  return rules;
}
