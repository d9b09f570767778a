import { Box, Button, Typography } from '@mui/material';
import { Link, Title, useTranslate } from 'react-admin';
import { say } from '../text/say.ts';

/** The page for an unknown path. */
export function NotFound() {
  const translate = useTranslate();
  const title = translate('ra.page.not_found');
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1, p: 4, textAlign: 'center' }}>
      <Title title={title} />
      <Typography variant="h6" component="h2">
        {title}
      </Typography>
      <Typography sx={{ color: 'text.secondary' }}>{translate('ra.message.not_found')}</Typography>
      <Button component={Link} to="/" variant="contained" sx={{ mt: 1 }}>
        {say('Overview')}
      </Button>
    </Box>
  );
}
