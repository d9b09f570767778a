import type { DescribedOperation } from '../document/example-of.ts';
import type { Schemas } from '../document/json-schema.ts';

export type Parameter = NonNullable<DescribedOperation['parameters']>[number] & { readonly description?: string };

/** One operation of the document. */
export interface Operation extends DescribedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  'x-codeSamples'?: readonly { readonly label: string; readonly source: string }[];
}

export interface Section {
  readonly name: string;
  /** The part of the address that names it. */
  readonly slug: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** The OpenAPI document, arranged for readers. */
export interface ReferenceDocument {
  readonly title: string;
  readonly introduction: string;
  readonly server: string;
  readonly sections: readonly Section[];
  readonly schemas: Schemas;
  /** Whether there is a list at this path. */
  hasList(path: string): boolean;
}

interface Document {
  readonly info: { readonly title: string; readonly description?: string };
  readonly servers?: readonly { readonly url: string }[];
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components?: { readonly schemas?: Schemas };
}

const slugOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

export function readDocument(document: object): ReferenceDocument {
  const { info, servers = [], tags = [], paths = {}, components } = document as Document;
  const operations: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      id: operation.operationId ?? `${method}${path}`,
      method,
      path,
    })),
  );
  return {
    title: info.title,
    introduction: info.description ?? '',
    server: servers[0]?.url ?? '',
    sections: tags.map(({ name, description = '' }) => ({
      name,
      slug: slugOf(name),
      description,
      operations: operations.filter((operation) => (operation.tags ?? []).includes(name)),
    })),
    schemas: components?.schemas ?? {},
    hasList: (path) => paths[path]?.get !== undefined,
  };
}
