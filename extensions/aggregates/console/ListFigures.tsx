import { Box, Card, MenuItem, TextField, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useListContext, useStore } from 'react-admin';
import { gatehouse } from '../../../console/src/data/api.ts';
import { useDescription, useRowName } from '../../../console/src/data/DescriptionsProvider.tsx';
import type { FieldDescription, ResourceDescription } from '../../../console/src/data/descriptions.ts';
import { toListQuery } from '../../../console/src/data/to-list-query.ts';
import { isNumber } from '../../../console/src/text/details.ts';
import { fieldLabel, labelOf, shortId } from '../../../console/src/text/presentation.ts';
import { locale, translate } from '../../../console/src/text/translate.ts';
import { figureText, valueText } from '../../../console/src/text/value-text.ts';
import { FigureText, MutedText } from '../../../console/src/widgets/Section.tsx';

const card = { p: 2, minWidth: 0 };
const mostNumbers = 3;
const mostGroups = 12;

interface Group {
  [field: string]: unknown;
  count: number;
  sum?: Record<string, string | number | null>;
  avg?: Record<string, string | number | null>;
}

const readable = ({ fields }: ResourceDescription) => fields.filter(({ writeOnly }) => !writeOnly);

/** The fields that divide rows into a few groups. */
const groupsOf = (description: ResourceDescription): FieldDescription[] =>
  readable(description).filter(
    ({ type, references }) => references !== undefined || type === 'enum' || type === 'boolean',
  );

/** Figures about the rows that match the list's filter: their count, their sums, and their count by group. */
export default function ListFigures() {
  const description = useDescription();
  const numbers = readable(description).filter(isNumber).slice(0, mostNumbers);
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
        <Card sx={card}>
          <FigureText label={labelOf(description)} value={all ? all.count.toLocaleString(locale) : '…'} />
        </Card>
        {numbers.map((field) => (
          <Card key={field.name} sx={card}>
            <FigureText
              label={fieldLabel(field)}
              value={all ? figureText(all.sum?.[field.name], field) : '…'}
              detail={all && translate('{value} on average', { value: figureText(all.avg?.[field.name], field) })}
            />
          </Card>
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
  const { search, deleted } = toListQuery({ filter: filterValues });
  const order = groupBy.length > 0 ? { orderBy: 'count', sortedBy: 'desc' as const, limit: mostGroups } : {};
  return useQuery({
    queryKey: [name, 'figures', aggregate, groupBy, filterValues],
    queryFn: async ({ signal }) => {
      const query = { aggregate, groupBy, ...order, ...(search ? { search } : {}), ...(deleted ? { deleted } : {}) };
      return (await gatehouse.resource(name).aggregate<Group>(query, { signal })).data;
    },
  });
}

/** The number of rows for each value of a field. */
function Groups() {
  const description = useDescription();
  const fields = groupsOf(description);
  const [chosen, setChosen] = useStore<string | undefined>(`${description.name}.figures`, fields[0]?.name);
  const field = fields.find(({ name }) => name === chosen) ?? fields[0];
  if (!field) return null;
  return (
    <Card sx={card}>
      <TextField
        select
        size="small"
        label={translate('Grouped by')}
        value={field.name}
        onChange={({ target }) => setChosen(target.value)}
      >
        {fields.map((option) => (
          <MenuItem key={option.name} value={option.name}>
            {fieldLabel(option)}
          </MenuItem>
        ))}
      </TextField>
      <GroupedRows key={field.name} field={field} />
    </Card>
  );
}

/** A bar for each group, drawn with plain elements, because the chart library would be larger than the list. */
function GroupedRows({ field }: { field: FieldDescription }) {
  const { data = [] } = useFigures(['count'], [field.name]);
  const most = Math.max(1, ...data.map(({ count }) => count));
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, mt: 1.5, p: 0, display: 'grid', gap: 1 }}>
      {data.map((group) => (
        <Box
          component="li"
          key={String(group[field.name])}
          sx={{ display: 'grid', gridTemplateColumns: 'minmax(6ch, 30%) 1fr 6ch', gap: 1, alignItems: 'center' }}
        >
          <GroupName field={field} value={group[field.name]} />
          <Box aria-hidden sx={{ height: 14, borderRadius: 0.5, bgcolor: 'action.hover' }}>
            <Box
              sx={{ height: 1, borderRadius: 0.5, bgcolor: 'primary.main', width: `${(100 * group.count) / most}%` }}
            />
          </Box>
          <span className="small numbers">{group.count.toLocaleString(locale)}</span>
        </Box>
      ))}
    </Box>
  );
}

/** The name of a row, or a translated word. */
function GroupName({ field: { type, references }, value }: { field: FieldDescription; value: unknown }) {
  const { name = shortId(String(value)) } = useRowName(references ?? '', value);
  const word = references === undefined ? valueText({ type }, value) : name;
  const text = value === null ? translate('None') : word;
  return (
    <Typography variant="body2" noWrap title={text}>
      {text}
    </Typography>
  );
}
