import { Box, Card, Typography } from '@mui/material';
import { type RaRecord, ReferenceManyField, useRecordContext } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import type { RelationDescription, ResourceDescription } from '../data/descriptions.ts';
import { Pages } from '../lists/Pages.tsx';
import { Rows } from '../lists/Rows.tsx';
import { columnsOf, humanised, labelOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { SendAgain } from '../webhooks/SendAgain.tsx';
import { ListError } from '../widgets/LoadError.tsx';
import { AddLink, RemoveLink, useLinks } from './LinkedRows.tsx';
import { AddRelated, RelatedRowActions, useTie } from './RelatedRow.tsx';

/** A delivery is sent shortly after it was requested. The table is read again until no delivery waits. */
const untilDelivered = (rows: RaRecord[] = []): number | false =>
  rows.some(({ webhook_id, state }) => webhook_id && state === 'waiting') && 5000;

/** The rows of one relation, from `/v1/<resources>/<id>/<children>`, and the actions that link them to this row. */
export function Related({ relation, target }: { relation: RelationDescription; target: ResourceDescription }) {
  const { name } = useDescription();
  const row = useRecordContext();
  const links = useLinks(relation);
  const tie = useTie(relation);
  const untie = links?.canRemove && row && <RemoveLink links={links} parent={String(row.id)} target={target} />;
  return (
    <Box component="section" sx={{ mt: 3 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', mb: 1 }}>
        <Typography variant="h6" component="h2">
          {relation.name === relation.resource ? labelOf(target) : say(humanised(relation.name))}
        </Typography>
        {links?.canAdd && <AddLink links={links} target={target} />}
        <AddRelated tie={tie} target={target} />
      </Box>
      <Card>
        <ReferenceManyField
          reference={relation.resource}
          target={`${name}/${relation.name}`}
          perPage={10}
          error={<ListError />}
          pagination={<Pages />}
          queryOptions={{ refetchInterval: ({ state }) => untilDelivered(state.data?.data) }}
        >
          <Rows
            columns={columnsOf(target, 5).filter((field) => field.name !== relation.by)}
            sorted={false}
            selectable={false}
            rowAction={
              target.name === 'webhook-deliveries' ? (
                <SendAgain />
              ) : (
                <RelatedRowActions tie={tie} untie={untie || undefined} />
              )
            }
          />
        </ReferenceManyField>
      </Card>
    </Box>
  );
}
