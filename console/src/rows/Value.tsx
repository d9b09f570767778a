import type { ReactNode } from 'react';
import { useRecordContext } from 'react-admin';
import { isOwnSession } from '../auth/page-session.ts';
import type { FieldDescription } from '../data/descriptions.ts';
import { Reference } from '../lists/Reference.tsx';
import { translate } from '../text/translate.ts';
import { emptyValueText, valueText } from '../text/value-text.ts';
import { LastSignIn, type Person, PersonName, Status } from './PersonColumns.tsx';

interface Props {
  field: FieldDescription;
  linked?: boolean;
  /** For a list: shows the first of many words, and the number of the others. */
  brief?: boolean;
  /** Decimal places, so that the numbers of a column align. */
  digits?: number | undefined;
}

/** The value of one field. A page has hundreds of them, so they are plain elements with the styles of `theme.ts`. */
export function Value({ linked = true, ...props }: Props) {
  const row = useRecordContext();
  const { references, type } = props.field;
  if (references !== undefined) return <Reference field={props.field} linked={linked} />;
  return <span className={type === 'uuid' ? 'value mono' : 'value'}>{read(props, row)}</span>;
}

function read({ field, brief, digits }: Props, row: Record<string, unknown> | undefined): ReactNode {
  const { name, type, scale } = field;
  const value = row?.[name];
  switch (type) {
    case 'boolean':
      if (typeof value !== 'boolean') return emptyValueText;
      // A word, because an icon would be unclear.
      return <span className={value ? 'yes' : 'no'}>{valueText({ type }, value)}</span>;
    case 'person':
      return row && <PersonName person={row as Person} />;
    case 'status':
      return row && <Status person={row as Person} />;
    case 'last_sign_in':
      return <LastSignIn id={String(row?.id)} />;
    case 'enum':
      // Marks the person's current session, so that the person does not end it by mistake.
      if (row && isOwnSession(row.id)) return <Words values={[translate(String(value)), translate('This session')]} />;
      return <Words values={[typeof value === 'string' ? translate(value) : value]} />;
    case 'list':
      return <Words values={Array.isArray(value) ? value : []} most={brief ? mostWords : undefined} />;
    case 'json':
      return <Json value={value} />;
    default:
      return valueText({ type, scale }, value, digits);
  }
}

const mostWords = 6;

function Words({ values, most = values.length }: { values: unknown[]; most?: number | undefined }) {
  const words = values.filter((value) => value !== null && value !== undefined).map(String);
  if (words.length === 0) return emptyValueText;
  return (
    <span className="words">
      {words.slice(0, most).map((word) => (
        <span key={word}>{word}</span>
      ))}
      {words.length > most && <span title={words.slice(most).join(', ')}>+{words.length - most}</span>}
    </span>
  );
}

function Json({ value }: { value: unknown }) {
  if (value === null || value === undefined || Object.keys(value).length === 0) return emptyValueText;
  return <span className="mono json">{JSON.stringify(value, null, 2)}</span>;
}
