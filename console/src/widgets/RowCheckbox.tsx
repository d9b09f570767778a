import type { ComponentProps } from 'react';

/** A check box that looks like MUI's, with the styles of `theme.ts`. A list has many, and MUI needs six elements for each. */
export const RowCheckbox = (props: ComponentProps<'input'>) => (
  <input type="checkbox" className="select-item" {...props} />
);
