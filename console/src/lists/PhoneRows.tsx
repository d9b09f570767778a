import type { ComponentProps, ReactNode } from 'react';
import { RecordContextProvider, useListContext } from 'react-admin';
import { RouteLink } from '../app/router.tsx';
import { type FieldDescription, useDescription } from '../data/DescriptionsProvider.tsx';
import { Value } from '../rows/Value.tsx';
import { detailsOf, digitsOf, labelInLine } from '../text/details.ts';
import { rowName, showPath } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { MarkText } from './marked-rows.tsx';

interface Props {
  columns: FieldDescription[];
  selectable: boolean;
  rowAction?: ReactNode;
}

/** Rows on a phone: the name, and below it "Seats 4  Owner Ada", the fields that distinguish the rows. They are plain elements. */
export function PhoneRows({ columns, selectable, rowAction }: Props) {
  const [first, ...otherColumns] = columns;
  const description = useDescription();
  const { data = [], selectedIds = [], onToggleItem } = useListContext();
  const details = detailsOf(otherColumns, description, data);
  return (
    <ul className="rows">
      {data.map((row) => (
        <RecordContextProvider key={row.id} value={row}>
          <li>
            {selectable && (
              <RowCheckbox
                checked={selectedIds.includes(row.id)}
                onChange={() => onToggleItem(row.id)}
                aria-label={translate('Select {row}', { row: rowName(description, row) })}
              />
            )}
            <RouteLink
              to={showPath(description.name, row.id)}
              state={{ _scrollToTop: true }}
              {...(!description.operations.has('find') && { 'aria-disabled': true, tabIndex: -1 })}
            >
              <span className="name">
                {first && <Value field={first} linked={false} />}
                <MarkText />
              </span>
              <span className="details">
                {detailsOf(details, description, [row]).map((field) => (
                  <span key={field.name}>
                    {labelInLine(field)} <Value field={field} linked={false} brief digits={digitsOf(field, data)} />
                  </span>
                ))}
              </span>
            </RouteLink>
            {rowAction}
          </li>
        </RecordContextProvider>
      ))}
    </ul>
  );
}

/** A check box that looks like MUI's, with the styles of `controls.css`. A list has many, and MUI needs six elements for each. */
export const RowCheckbox = (props: ComponentProps<'input'>) => (
  <input type="checkbox" className="select-item" {...props} />
);
