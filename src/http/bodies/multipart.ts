import { badRequest, Problem } from '../../platform/errors.ts';
import { addValue, emptyValues, type FormValues, maxMembers, tooManyMembers } from './form-body.ts';

const lineEnd = '\r\n';
const headersEnd = '\r\n\r\n';
/** The headers of a part are normally much shorter. */
const maxHeaderBytes = 1024;

const malformed = () => badRequest('The body is not well-formed multipart/form-data.', 'body_invalid');
const containsFile = () =>
  new Problem(415, 'Unsupported Media Type', 'The form contains a file. This service does not accept files.', {
    code: 'unsupported_media_type',
  });

/** RFC 2046 5.1.1. */
function boundaryOf(contentType: string): string {
  const [, quoted, unquoted] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? unquoted;
  if (boundary === undefined) throw badRequest('multipart/form-data needs a boundary.', 'body_invalid');
  return boundary;
}

/** RFC 7578, for forms without files, as browsers and programs send `FormData`. */
export function readMultipart(bytes: Buffer, contentType: string, decode: (bytes: Buffer) => string): FormValues {
  const boundary = boundaryOf(contentType);
  const delimiter = `${lineEnd}--${boundary}`;
  const values = emptyValues();
  const opening = `--${boundary}`;
  let at = bytes.subarray(0, opening.length).toString('latin1') === opening ? 0 : bytes.indexOf(delimiter) + 2;
  if (at === 1) throw malformed();
  at += opening.length;
  for (let parts = 0; !startsWith(bytes, at, '--'); parts++) {
    if (parts >= maxMembers) throw tooManyMembers();
    if (!startsWith(bytes, at, lineEnd)) throw malformed();
    const contentAt = bytes.indexOf(headersEnd, at);
    if (contentAt < 0 || contentAt - at > maxHeaderBytes) throw malformed();
    const content = contentAt + headersEnd.length;
    const end = bytes.indexOf(delimiter, content);
    if (end < 0) throw malformed();
    addPart(values, decode(bytes.subarray(at, contentAt)), bytes.subarray(content, end), decode);
    at = end + delimiter.length;
  }
  return values;
}

const startsWith = (bytes: Buffer, at: number, text: string): boolean => {
  if (at >= bytes.length) throw malformed();
  return bytes.toString('latin1', at, at + text.length) === text;
};

function addPart(values: FormValues, headers: string, content: Buffer, decode: (bytes: Buffer) => string): void {
  const disposition = headers.split(lineEnd).find((line) => /^content-disposition:\s*form-data\s*(;|$)/i.test(line));
  // .NET sends the name without quotes.
  const [, quoted, unquoted] = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition ?? '') ?? [];
  const name = quoted ?? unquoted;
  if (disposition === undefined || name === undefined) throw malformed();
  const file = /;\s*filename\*?=("")?/i.exec(disposition);
  // A browser sends an empty file input as a file without a name.
  if (file?.[1] === '""' && content.length === 0) return;
  if (file) throw containsFile();
  // Browsers percent-encode these three characters in a name (HTML, "multipart/form-data encoding algorithm").
  addValue(values, name.replace(/%(22|0A|0D)/gi, decodeURIComponent), decode(content));
}
