import { useState } from 'react';
import { CreateBase, EditBase, useNotify, useRefresh } from 'react-admin';
import { useConflict } from '../../../extensions/all-console-parts.ts';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { FormFields, readOnceOptions, WhenLoaded } from '../forms/FormFields.tsx';
import { singularOf } from '../text/presentation.ts';
import { lowerCaseFirst, translate } from '../text/translate.ts';
import { FormDialog } from '../widgets/FormDialog.tsx';
import { RevealedSecrets, secretsIn } from './RevealedSecrets.tsx';

const form = { noValidate: true, sanitizeEmptyValues: true };

interface Props {
  /** The id of the row to change. Without it, a row is created. */
  id?: string | undefined;
  /** The field that links the row to the row of the page, and its value. */
  parentReference: { field: string; value: unknown } | undefined;
  onClose: () => void;
}

/** Creates or changes a row of the surrounding resource, in a dialog above the current page. */
export default function RowDialog({ id, parentReference, onClose }: Props) {
  const description = useDescription();
  const notify = useNotify();
  const refresh = useRefresh();
  const [secrets, setSecrets] = useState<[string, string][]>([]);
  const thing = singularOf(description);
  const { onError, dialog } = useConflict(onClose);

  const close = () => {
    refresh();
    onClose();
  };
  const onSuccess = (row: Record<string, unknown>) => {
    notify(translate(id === undefined ? '{thing} created.' : '{thing} saved.', { thing }), { type: 'success' });
    const revealed = secretsIn(row);
    if (revealed.length > 0) setSecrets(revealed);
    else close();
  };
  const options = { redirect: false, mutationOptions: { onSuccess, onError } } as const;

  if (secrets.length > 0) return <RevealedSecrets secrets={secrets} onClose={close} />;
  if (id === undefined) {
    const record = parentReference ? { [parentReference.field]: parentReference.value } : {};
    return (
      <CreateBase {...options} record={record} transform={(data: object) => ({ ...data, ...record })}>
        <FormDialog
          title={translate('New {thing}', { thing: lowerCaseFirst(thing) })}
          confirm={translate('Create')}
          onClose={onClose}
          form={form}
        >
          <FormFields isNew omit={parentReference?.field} />
        </FormDialog>
      </CreateBase>
    );
  }
  return (
    <>
      <EditBase {...options} id={id} mutationMode="pessimistic" queryOptions={readOnceOptions}>
        <WhenLoaded>
          <FormDialog
            title={translate('Edit {row}', { row: lowerCaseFirst(thing) })}
            confirm={translate('Save')}
            onClose={onClose}
            form={form}
          >
            <FormFields omit={parentReference?.field} />
          </FormDialog>
        </WhenLoaded>
      </EditBase>
      {dialog}
    </>
  );
}
