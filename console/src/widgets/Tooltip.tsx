import { cloneElement, type ReactElement, type ReactNode } from 'react';

interface Named {
  title?: string;
  'aria-label'?: string;
}

/** Shows a name when the pointer is over its child. The browser draws it, because MUI's tooltip would add 10 kB. */
export default function Tooltip({ title, children }: { title?: ReactNode; children: ReactElement<Named> }) {
  if (typeof title !== 'string' || title === '') return children;
  return cloneElement(children, { title, 'aria-label': title, ...children.props });
}
