import { Box, Card } from '@mui/material';
import { type ReactNode, useId } from 'react';
import { Link } from 'react-admin';
import { translate } from '../text/translate.ts';

interface Props {
  title: string;
  /** The path of the whole list. */
  to?: string;
  error?: Error | null;
  /** The text of an empty section. */
  empty?: string | false | undefined;
  children?: ReactNode;
}

/** A card with a heading. It shows why its content could not be loaded. */
export function Section({ title, to, error, empty, children }: Props) {
  const id = useId();
  return (
    <Card component="section" aria-labelledby={id}>
      <Box className="spread" sx={{ px: 2, py: 1.5 }}>
        <h2 className="heading" id={id}>
          {title}
        </h2>
        {to !== undefined && (
          <Link to={to} sx={{ p: 1.25, m: -1.25 }} aria-label={translate('All: {what}', { what: title })}>
            {translate('All')}
          </Link>
        )}
      </Box>
      {error && <MutedText>{translate('This cannot be shown: {reason}', { reason: error.message })}</MutedText>}
      {!error && empty && <MutedText>{empty}</MutedText>}
      {children}
    </Card>
  );
}

export const MutedText = ({ children }: { children: ReactNode }) => (
  <Box component="p" className="small quiet" sx={{ px: 2, pb: 2 }}>
    {children}
  </Box>
);

interface FigureProps {
  label: string;
  value: string;
  detail?: string | undefined;
  /** Whether the detail needs attention. */
  isAlarming?: boolean | undefined;
}

/** The style of a card with one number. It aligns the numbers of a row of cards, however long the labels are. */
export const figureTile = { p: 2, display: 'grid', alignContent: 'space-between' } as const;

/** A number with its label, and a detail below it. */
export const FigureText = ({ label, value, detail, isAlarming }: FigureProps) => (
  <>
    <h3 className="small quiet">{label}</h3>
    <p className="figure">{value}</p>
    {detail && <p className={isAlarming ? 'small alarming' : 'small quiet'}>{detail}</p>}
  </>
);
