import {
  Box,
  Checkbox,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TablePagination,
  TableRow,
  TextField,
  ToggleButton,
  ToggleButtonGroup,
} from '@mui/material';
import type { SxProps, Theme } from '@mui/material/styles';
import { useState } from 'react';
import {
  type FieldDescription,
  useDescription,
  useDescriptions,
} from '../../../console/src/data/DescriptionsProvider.tsx';
import { fieldLabel } from '../../../console/src/text/presentation.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { type CheckedRow, cellOf, checkRows, columnsIn, isWrong } from './check-rows.ts';

type OnChange = (row: CheckedRow) => void;

const perPage = 25;

/** On a phone, a row is a block, and each value is beside its label. */
const onPhones: SxProps<Theme> = ({ breakpoints }) => ({
  [breakpoints.down('sm')]: {
    '&, & tbody': { display: 'block' },
    '& thead': { display: 'none' },
    '& tr': {
      display: 'grid',
      gridTemplateColumns: '48px minmax(0, 1fr)',
      py: 1,
      borderBottom: 1,
      borderColor: 'divider',
    },
    '& td': { border: 0, px: 0, py: 0.5, overflowWrap: 'anywhere' },
    '& td[data-label]': {
      ...{ gridColumn: 2, display: 'grid', gridTemplateColumns: '7em minmax(0, 1fr)', alignItems: 'baseline' },
      '&::before': { content: 'attr(data-label)', color: 'text.secondary' },
    },
  },
});

/** The rows of a file before they are imported. The person can correct a cell or skip a row. */
export function ImportTable({ rows, onChange }: { rows: CheckedRow[]; onChange: OnChange }) {
  const columns = columnsIn(useDescription(), rows).shown;
  const wrong = rows.filter(isWrong);
  const [showsAll, setShowsAll] = useState(wrong.length === 0);
  const [page, setPage] = useState(0);
  const visibleRows = showsAll || wrong.length === 0 ? rows : wrong;
  const first = Math.min(page, Math.max(0, Math.ceil(visibleRows.length / perPage) - 1)) * perPage;

  return (
    <>
      {wrong.length > 0 && (
        <ToggleButtonGroup
          exclusive
          size="small"
          aria-label={translate('Rows to show')}
          value={showsAll}
          onChange={(_event, value: boolean | null) => value !== null && setShowsAll(value)}
        >
          <ToggleButton value={false}>{translate('Problems: {count, number}', { count: wrong.length })}</ToggleButton>
          <ToggleButton value={true}>{translate('All rows: {count, number}', { count: rows.length })}</ToggleButton>
        </ToggleButtonGroup>
      )}
      <Box
        tabIndex={0}
        role="region"
        aria-label={translate('Rows of the file')}
        sx={{ overflow: 'auto', maxHeight: '50vh' }}
      >
        <Table size="small" stickyHeader sx={onPhones}>
          <TableHead>
            <TableRow>
              <TableCell>{translate('Import')}</TableCell>
              <TableCell>{translate('Row')}</TableCell>
              {columns.map((field) => (
                <TableCell key={field.name}>{fieldLabel(field)}</TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {visibleRows.slice(first, first + perPage).map((row) => (
              <TableRow key={row.number} sx={{ verticalAlign: 'top' }}>
                <TableCell padding="checkbox">
                  <Checkbox
                    checked={!isWrong(row) && !row.isSkipped}
                    disabled={isWrong(row)}
                    onChange={() => onChange({ ...row, isSkipped: !row.isSkipped })}
                    slotProps={{
                      input: { 'aria-label': translate('Import row {number, number}', { number: row.number }) },
                    }}
                  />
                </TableCell>
                <TableCell data-label={translate('Row')}>
                  {row.number}
                  <OtherProblems row={row} columns={columns} />
                </TableCell>
                {columns.map((field) => (
                  <TableCell key={field.name} data-label={fieldLabel(field)}>
                    <Cell key={textOf(field, row)} field={field} row={row} onChange={onChange} />
                  </TableCell>
                ))}
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </Box>
      {visibleRows.length > perPage && (
        <TablePagination
          component="div"
          count={visibleRows.length}
          page={first / perPage}
          rowsPerPage={perPage}
          rowsPerPageOptions={[perPage]}
          onPageChange={(_event, next) => setPage(next)}
        />
      )}
    </>
  );
}

/** Problems without a column in the file: a missing value, an unknown id. */
function OtherProblems({ row, columns }: { row: CheckedRow; columns: FieldDescription[] }) {
  const { fields } = useDescription();
  return Object.entries(row.problems)
    .filter(([name]) => !columns.some((field) => field.name === name))
    .map(([name, message]) => {
      const field = fields.find((candidate) => candidate.name === name && name !== 'id');
      return (
        <Box key={name} sx={{ color: 'error.main', minWidth: { sm: 160 }, gridColumn: '1 / -1' }}>
          {field ? translate('{part}: {what}', { part: fieldLabel(field), what: message }) : message}
        </Box>
      );
    });
}

function textOf(field: FieldDescription, { values }: CheckedRow): string {
  const value = cellOf(field, values);
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

function Cell({ field, row, onChange }: { field: FieldDescription; row: CheckedRow; onChange: OnChange }) {
  const description = useDescription();
  const descriptions = useDescriptions();
  const text = textOf(field, row);
  const [typed, setTyped] = useState(text);
  const problem = row.problems[field.name];
  // A corrected cell stays an input, so that it can be corrected again.
  if (problem === undefined && typed === text && !row.corrected?.has(field.name)) return text;

  async function check() {
    if (typed === text) return;
    const key = field.label !== undefined && field.label in row.values ? field.label : field.name;
    const changed = { number: row.number, values: { ...row.values, [key]: typed } };
    const [checked] = await checkRows(description, [changed], descriptions);
    const corrected = new Set([...(row.corrected ?? []), field.name]);
    if (checked) onChange({ ...checked, corrected, isSkipped: row.isSkipped });
  }

  return (
    <TextField
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={() => void check()}
      error={problem !== undefined}
      helperText={problem}
      margin="none"
      sx={{ minWidth: { sm: 160 } }}
      slotProps={{
        htmlInput: {
          'aria-label': translate('{field} in row {number, number}', { field: fieldLabel(field), number: row.number }),
        },
      }}
    />
  );
}
