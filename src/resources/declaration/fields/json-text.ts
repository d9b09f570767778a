import { readJson } from '../../../http/bodies/json-body.ts';
import { Problem } from '../../../platform/errors.ts';

/** By the rules of every JSON body; undefined for a text that is not JSON. */
export const parseJsonText = (text: string): unknown => {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof Problem && error.code === 'json_invalid') return undefined;
    throw error;
  }
};
