import { namedSchema } from '../../../src/http/named-schema.ts';

const text = { type: 'string' };

/** RFC 9457. */
export const problemSchema = namedSchema('Problem', {
  type: 'object',
  description: 'An error in the format of RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: { ...text, description: 'A description of the error, for people' },
    instance: { ...text, description: 'The request id' },
    code: { ...text, description: 'A stable error code, for programs' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'code', 'message'],
        properties: {
          field: text,
          code: text,
          message: text,
          limit: { type: ['number', 'string'], description: 'The limit that the value exceeds' },
          values: { type: 'array', items: text, description: 'The values that are allowed' },
        },
      },
    },
  },
});
