import { Box, Card, Typography } from '@mui/material';
import { type ReactNode, useId } from 'react';
import { Link } from 'react-admin';
import { translate } from '../text/translate.ts';

interface Props {
  title: string;
  /** The path of the whole list. */
  to?: string;
  children: ReactNode;
}

/** A card with a heading, on the page of a person. */
export function Section({ title, to, children }: Props) {
  const id = useId();
  return (
    <Card component="section" aria-labelledby={id}>
      <Box sx={{ display: 'flex', justifyContent: 'space-between', alignItems: 'baseline', px: 2, py: 1.5 }}>
        <Typography variant="h6" component="h2" id={id}>
          {title}
        </Typography>
        {to !== undefined && (
          <Link to={to} sx={{ p: 1.25, m: -1.25 }} aria-label={translate('All: {what}', { what: title })}>
            {translate('All')}
          </Link>
        )}
      </Box>
      {children}
    </Card>
  );
}

/** A line of a list in a section: an icon, a title, and a text below it. */
export function Line({
  icon,
  title,
  text,
  children,
}: {
  icon: ReactNode;
  title: string;
  text?: string | undefined;
  children?: ReactNode;
}) {
  return (
    <Box component="li" sx={{ display: 'flex', gap: 1 }}>
      {icon}
      <Box sx={{ minWidth: 0, flex: 1 }}>
        <Typography variant="body2">{title}</Typography>
        {text && (
          <Typography variant="caption" color="textSecondary" component="p">
            {text}
          </Typography>
        )}
        {children}
      </Box>
    </Box>
  );
}

export function MutedText({ children }: { children: ReactNode }) {
  return (
    <Typography color="textSecondary" variant="body2" sx={{ px: 2, pb: 2 }}>
      {children}
    </Typography>
  );
}
