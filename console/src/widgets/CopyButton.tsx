import CopyIcon from '@mui/icons-material/ContentCopyOutlined';
import { Button } from '@mui/material';
import { useState } from 'react';
import { say } from '../text/say.ts';
import { copy } from './copy.ts';

/** Copies a text, and says so. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [said, setSaid] = useState<string>();
  return (
    <Button
      size="small"
      startIcon={<CopyIcon />}
      onClick={() => void copy(text).then((done) => setSaid(done ? say('Copied') : say('Select it and copy by hand')))}
    >
      <span aria-live="polite">{said ?? say(label)}</span>
    </Button>
  );
}
