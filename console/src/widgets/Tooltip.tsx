import { cloneElement, type ReactElement, type ReactNode } from 'react';

interface Named {
  title?: string;
  'aria-label'?: string;
}

/** Shows a name when the pointer rests on its child. The browser draws it: MUI's own tooltip would need 10 kB more. */
export default function Tooltip({ title, children }: { title?: ReactNode; children: ReactElement<Named> }) {
  if (typeof title !== 'string' || title === '') return children;
  return cloneElement(children, { title, 'aria-label': title, ...children.props });
}
