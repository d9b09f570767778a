import { List, ListItem, ListItemText, Typography } from '@mui/material';
import { say } from '../text/say.ts';

const most = 100;

/** What is wrong with rows of a file, by their number in it. */
export function Problems({
  title,
  problems,
}: {
  title: string;
  problems: readonly { number: number; message: string }[];
}) {
  return (
    <>
      <Typography component="h3" variant="subtitle2" sx={{ mt: 2 }}>
        {title}
      </Typography>
      <List dense aria-label={title} tabIndex={0} sx={{ maxHeight: 240, overflow: 'auto' }}>
        {problems.slice(0, most).map(({ number, message }) => (
          <ListItem key={`${number} ${message}`} disableGutters>
            <ListItemText primary={say('Row {number, number}', { number })} secondary={message} />
          </ListItem>
        ))}
      </List>
      {problems.length > most && (
        <Typography>{say('and {count, number} more.', { count: problems.length - most })}</Typography>
      )}
    </>
  );
}
