import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useDataProvider, useRecordContext, useRedirect } from 'react-admin';
import { labelOf } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { AskedButton } from '../widgets/AskedButton.tsx';
import { useReferrers } from './PersonThings.tsx';
import type { Person } from './person.ts';

/** Deletes a person, after saying what goes along and what refers to them. */
export function DeletePerson() {
  const person = useRecordContext<Person>();
  const dataProvider = useDataProvider();
  const redirect = useRedirect();
  if (!person) return null;
  const who = person.name ?? person.email ?? person.username ?? person.phone ?? '';
  return (
    <AskedButton
      label={say('Delete')}
      confirm={say('Delete {what}', { what: who })}
      title={say('Delete {what}?', { what: who })}
      text={<GoesAlong id={person.id} />}
      done={say('{who} is deleted.', { who })}
      danger
      run={async () => {
        await dataProvider.delete('users', { id: person.id, previousData: person });
        redirect('list', 'users');
      }}
    />
  );
}

interface Amount {
  what: string;
  count: string;
}

/** Counts when the dialog opens. What refers to the person is the operator's, and may hinder the deletion. */
function GoesAlong({ id }: { id: string }) {
  const dataProvider = useDataProvider();
  const referrers = useReferrers();
  const count = async (what: string, resource: string, filter: object): Promise<Amount> => {
    const pagination = { page: 1, perPage: 1 };
    const list = await dataProvider.getList(resource, { filter, pagination, sort: { field: 'id', order: 'DESC' } });
    return { what, count: String(list.total ?? (list.pageInfo?.hasNextPage ? say('many') : list.data.length)) };
  };
  const { data } = useQuery({
    queryKey: ['users', 'goes-along', id],
    queryFn: async () => ({
      own: await Promise.all([
        count(say('Sessions'), 'tokens', { user_id: id, type: 'session' }),
        count(say('Personal access tokens'), 'tokens', { user_id: id, type: 'personal' }),
        count(say('Clients'), 'clients', { user_id: id }),
        count(say('Connected applications'), 'consents', { user_id: id }),
      ]),
      others: await Promise.all(
        referrers.map((of) => count(labelOf(of.resource), of.resource.name, { [of.field]: id })),
      ),
    }),
  });
  const others = data?.others.filter((one) => one.count !== '0') ?? [];
  return (
    <>
      {say('Nothing of the account stays but the trail, and this cannot be undone. With it go:')}
      <Amounts of={data?.own ?? []} />
      {others.length > 0 && (
        <>
          {say(
            'These rows refer to the person. They go along, lose the reference or hinder the deletion, as their resource is declared:',
          )}
          <Amounts of={others} />
        </>
      )}
    </>
  );
}

function Amounts({ of }: { of: Amount[] }) {
  return (
    <Box component="ul" sx={{ my: 1, pl: 3 }}>
      {of.map(({ what, count }) => (
        <li key={what}>
          {what}: {count}
        </li>
      ))}
    </Box>
  );
}
