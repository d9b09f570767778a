import CopyIcon from '@mui/icons-material/ContentCopyOutlined';
import { Box, Button } from '@mui/material';
import { useState } from 'react';
import { translate } from '../text/translate.ts';

/** A piece of code, and a button that copies it. */
export function Code({ title, text }: { title: string; text: string }) {
  return (
    <Box component="section" sx={{ mt: 2 }}>
      <div className="spread">
        <h2 className="label">{title}</h2>
        <CopyButton text={text} />
      </div>
      <Box component="pre" className="mono code" tabIndex={0}>
        {text}
      </Box>
    </Box>
  );
}

/** Copies a text and confirms it. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [status, setStatus] = useState<string>();
  return (
    <Button
      size="small"
      startIcon={<CopyIcon />}
      onClick={() =>
        void copy(text).then((isCopied) =>
          setStatus(isCopied ? translate('Copied') : translate('Select it and copy by hand')),
        )
      }
    >
      <span aria-live="polite">{status ?? translate(label)}</span>
    </Button>
  );
}

/** Copies a text. Without https there is no clipboard API, so it copies a selection instead. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  // An open dialog keeps the focus inside.
  const place = before?.closest('[role="dialog"]') ?? document.body;
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  place.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
