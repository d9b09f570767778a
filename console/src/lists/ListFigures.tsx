import { Box, Card, MenuItem, TextField, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useGetMany, useListContext, useStore } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { useDescription, useDescriptions } from '../data/described.tsx';
import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { queryOf } from '../data/list-query-of.ts';
import { fieldLabel, labelOf, rowName, shortId } from '../text/presentation.ts';
import { locale, translate } from '../text/translate.ts';
import { figureText } from '../text/value-text.ts';
import { MutedText } from '../widgets/Section.tsx';

const mostNumbers = 3;
const mostGroups = 12;

interface Group {
  [field: string]: unknown;
  count: number;
  sum?: Record<string, string | number | null>;
  avg?: Record<string, string | number | null>;
}

const readable = ({ fields }: ResourceDescription) => fields.filter(({ writeOnly }) => !writeOnly);

/** The fields whose values can be added up. */
const numbersOf = (description: ResourceDescription): FieldDescription[] =>
  readable(description).filter(({ type, references }) => references === undefined && summable.has(type));
const summable = new Set(['integer', 'number', 'decimal']);

/** The fields that divide rows into a few groups. */
const groupsOf = (description: ResourceDescription): FieldDescription[] =>
  readable(description).filter(
    ({ type, references }) => references !== undefined || type === 'enum' || type === 'boolean',
  );

/** Figures about the rows that match the list's filter: their count, their sums, and their count by group. */
export function ListFigures() {
  const description = useDescription();
  const numbers = numbersOf(description).slice(0, mostNumbers);
  const aggregate = ['count', ...numbers.flatMap(({ name }) => ['sum', 'avg'].map((of) => [of, name].join(':')))];
  const { data, error } = useFigures(aggregate, []);
  if (error)
    return <MutedText>{translate('The figures cannot be shown: {reason}', { reason: error.message })}</MutedText>;
  const [all] = data ?? [];
  return (
    <Box
      component="section"
      aria-label={translate('Figures')}
      sx={{ display: 'grid', gap: 2, p: 2, gridTemplateColumns: { xs: '1fr', md: '1fr 2fr' }, alignItems: 'start' }}
    >
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr 1fr', md: '1fr' } }}>
        <FigureCard label={labelOf(description)} value={all ? all.count.toLocaleString(locale) : '…'} />
        {numbers.map((field) => (
          <FigureCard
            key={field.name}
            label={fieldLabel(field)}
            value={all ? figureText(all.sum?.[field.name], field) : '…'}
            detail={all && translate('{value} on average', { value: figureText(all.avg?.[field.name], field) })}
          />
        ))}
      </Box>
      <Groups />
    </Box>
  );
}

/** Loads the figures about the rows that match the list's filter. */
function useFigures(aggregate: string[], groupBy: string[]) {
  const { name } = useDescription();
  const { filterValues } = useListContext();
  const { search, deleted } = queryOf({ filter: filterValues });
  const order = groupBy.length > 0 ? { orderBy: 'count', sortedBy: 'desc' as const, limit: mostGroups } : {};
  return useQuery({
    queryKey: [name, 'figures', aggregate, groupBy, filterValues],
    queryFn: async ({ signal }) => {
      const query = { aggregate, groupBy, ...order, ...(search ? { search } : {}), ...(deleted ? { deleted } : {}) };
      return (await gatehouse.resource(name).aggregate<Group>(query, { signal })).data;
    },
  });
}

function FigureCard({ label, value, detail }: { label: string; value: string; detail?: string | undefined }) {
  return (
    <Card sx={{ p: 2, minWidth: 0 }}>
      <Typography component="h3" variant="body2" color="textSecondary">
        {label}
      </Typography>
      <Typography variant="h5" component="p" sx={{ fontVariantNumeric: 'tabular-nums', overflowWrap: 'anywhere' }}>
        {value}
      </Typography>
      {detail && (
        <Typography variant="body2" color="textSecondary">
          {detail}
        </Typography>
      )}
    </Card>
  );
}

/** The number of rows for each value of a field. */
function Groups() {
  const description = useDescription();
  const fields = groupsOf(description);
  const [chosen, setChosen] = useStore<string | undefined>(`${description.name}.figures`, fields[0]?.name);
  const field = fields.find(({ name }) => name === chosen) ?? fields[0];
  if (!field) return null;
  return (
    <Card sx={{ p: 2, minWidth: 0 }}>
      <TextField
        select
        size="small"
        label={translate('Grouped by')}
        value={field.name}
        onChange={({ target }) => setChosen(target.value)}
      >
        {fields.map((one) => (
          <MenuItem key={one.name} value={one.name}>
            {fieldLabel(one)}
          </MenuItem>
        ))}
      </TextField>
      <GroupedRows key={field.name} field={field} />
    </Card>
  );
}

function GroupedRows({ field }: { field: FieldDescription }) {
  const { data = [] } = useFigures(['count'], [field.name]);
  const values = data.map((group) => group[field.name]);
  return <GroupBars names={useNames(field, values)} counts={data.map(({ count }) => count)} />;
}

/** The label of each value: the name of a row, or a translated word. */
function useNames(field: FieldDescription, values: readonly unknown[]): string[] {
  const target = useDescriptions().get(field.references ?? '');
  const ids = target ? values.filter((value) => value !== null).map(String) : [];
  const { data: rows = [] } = useGetMany(field.references ?? '', { ids }, { enabled: ids.length > 0 });
  return values.map((value) => {
    if (value === null) return translate('None');
    if (typeof value === 'boolean') return value ? translate('Yes') : translate('No');
    const row = rows.find((one) => one?.id === value);
    if (target && row) return rowName(target, row);
    return field.references === undefined ? translate(String(value)) : shortId(String(value));
  });
}

/** A bar for each group, drawn with plain elements, because the chart library would be larger than the list. */
function GroupBars({ names, counts }: { names: string[]; counts: number[] }) {
  const most = Math.max(1, ...counts);
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, mt: 1.5, p: 0, display: 'grid', gap: 1 }}>
      {names.map((name, i) => {
        const count = counts[i] ?? 0;
        return (
          <Box
            component="li"
            key={name}
            sx={{ display: 'grid', gridTemplateColumns: 'minmax(6ch, 30%) 1fr 6ch', gap: 1, alignItems: 'center' }}
          >
            <Typography variant="body2" noWrap title={name}>
              {name}
            </Typography>
            <Box aria-hidden sx={{ height: 14, borderRadius: 0.5, bgcolor: 'action.hover' }}>
              <Box sx={{ height: 1, borderRadius: 0.5, bgcolor: 'primary.main', width: `${(100 * count) / most}%` }} />
            </Box>
            <Typography variant="body2" sx={{ textAlign: 'right', fontVariantNumeric: 'tabular-nums' }}>
              {count.toLocaleString(locale)}
            </Typography>
          </Box>
        );
      })}
    </Box>
  );
}
