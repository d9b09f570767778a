import { chunk } from 'es-toolkit/array';
import type {
  DataProvider,
  GetListParams,
  GetListResult,
  GetManyReferenceParams,
  Identifier,
  RaRecord,
  UpdateParams,
} from 'react-admin';
import { GatehouseError } from '../../../client/errors.ts';
import type { Gatehouse } from '../../../client/gatehouse.ts';
import type { Page } from '../../../client/resource.ts';
import type { ResourceDescription } from './descriptions.ts';
import { ConflictError, throwFormError } from './form-error.ts';
import { takePrefetchedRows } from './prefetched-rows.ts';
import { toListQuery } from './to-list-query.ts';

/** The name of the property with the ETag of a row. A write sends the ETag, so that a newer version is not overwritten. */
export const tagKey = '_etag';

type Row = RaRecord<string>;

/** Translates the calls of react-admin to Gatehouse's REST API. */
export function createDataProvider(
  gatehouse: Gatehouse,
  descriptions: readonly Pick<ResourceDescription, 'name' | 'softDelete'>[] = [],
): DataProvider {
  const resource = (name: string) => gatehouse.resource<Row>(name);
  const softDeleting = new Set(descriptions.filter(({ softDelete }) => softDelete).map(({ name }) => name));
  const provider = {
    supportAbortSignal: true,

    async getList(name: string, params: GetListParams) {
      const query = toListQuery(params);
      return toListResult(
        await (takePrefetchedRows(name, query) ?? resource(name).list(query, { signal: params.signal })),
      );
    },

    async getOne(name: string, { id, signal }: { id: Identifier; signal?: AbortSignal }) {
      const read = (query: { deleted?: 'with' }) => resource(name).get(String(id), query, { signal });
      // A deleted row is shown to people who may restore it.
      const response = await read({}).catch((error) => {
        const isGone = error instanceof GatehouseError && error.status === 404;
        if (!isGone || !softDeleting.has(name)) throw error;
        return read({ deleted: 'with' }).catch(() => Promise.reject(error));
      });
      return { data: withTag(response) };
    },

    /** The response lacks rows that no longer exist or that the caller may not see. */
    async getMany(name: string, { ids, signal }: { ids: Identifier[]; signal?: AbortSignal }) {
      const uniqueIds = [...new Set(ids.filter((id) => id !== null && id !== undefined).map(String))];
      const pages = await Promise.all(
        chunk(uniqueIds, 100).map((some) =>
          resource(name).list({ search: { id: some }, limit: 100, count: 'none' }, { signal }),
        ),
      );
      return { data: pages.flatMap(({ data }) => data) };
    },

    /** `target` is `parents/relation`, which is read at `/v1/parents/<id>/relation`. */
    async getManyReference(_name: string, params: GetManyReferenceParams) {
      const [parents = '', relation = ''] = params.target.split('/');
      const children = resource(parents).of<Row>(String(params.id), relation);
      return toListResult(await children.list(toListQuery(params), { signal: params.signal }));
    },

    async create(name: string, { data }: { data: object }) {
      return { data: (await resource(name).create(data).catch(throwFormError)).data };
    },

    async update(name: string, { id, data, previousData }: UpdateParams) {
      const changes = changedFields(data, previousData ?? {});
      if (Object.keys(changes).length === 0) return { data: { ...previousData, id: String(id) } };
      const ifMatch: string | undefined = previousData?.[tagKey];
      const patched = await resource(name)
        .patch(String(id), changes, { ifMatch })
        .catch((error) => {
          if (isConflict(error)) throw new ConflictError(error, previousData ?? {}, changes);
          return throwFormError(error);
        });
      return { data: withTag(patched) };
    },

    async delete(name: string, { id, previousData }: { id: Identifier; previousData?: RaRecord }) {
      const ifMatch: string | undefined = previousData?.[tagKey];
      await resource(name).delete(String(id), { ifMatch }).catch(throwFormError);
      return { data: { ...previousData, id: String(id) } };
    },
  };
  return provider as unknown as DataProvider;
}

/** If the service stopped counting, the last page is unknown. */
function toListResult({ data, pagination, position }: Page<Row>): GetListResult {
  const { total, total_capped: isCapped, links = {}, current_page = 1 } = pagination;
  const listMeta = { ...(position !== undefined && { position }), ...(isCapped && { atLeast: total }) };
  const meta = Object.keys(listMeta).length > 0 ? { meta: listMeta } : {};
  if (total !== undefined && !isCapped) return { data, total, ...meta };
  return { data, ...meta, pageInfo: { hasNextPage: Boolean(links.next), hasPreviousPage: current_page > 1 } };
}

const withTag = ({ data, etag }: { data: Row; etag: string | undefined }): Row =>
  etag === undefined ? data : { ...data, [tagKey]: etag };

/** PATCH sends only the changed fields, so that two people can change different fields of a row. */
function changedFields(data: Record<string, unknown>, before: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).filter(
      ([name, value]) => name !== tagKey && name !== 'id' && JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  );
}

const isConflict = (error: unknown): error is GatehouseError =>
  error instanceof GatehouseError && error.code === 'precondition_failed';
