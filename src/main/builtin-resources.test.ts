import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDefinitions } from '../../extensions/declaration-checks/check-definitions.ts';
import { services } from '../../test/harness/service.ts';
import { roleNames } from '../config/config.ts';
import { defineResource } from '../resources/declaration/define-resource.ts';
import { text } from '../resources/declare.ts';
import { builtinResources } from './builtin-resources.ts';
import { loadExtensions } from './extensions.ts';
import { serviceTables } from './service-tables.ts';
import { createServices } from './services.ts';

describe('The built-in resources', () => {
  const start = services('sqlite');

  it('are declared correctly', async () => {
    const service = await start({ env: { ROLES: 'admin,editor', COMPAT: 'apiato12' } });
    const { context, scopes } = service;
    // An extension adds handlers to the queue of its services, so those of the running service cannot be used again.
    const unused = await createServices(context);
    const extensions = await loadExtensions(context, unused);
    const definitions = [
      ...(await builtinResources(context, unused)),
      ...extensions.flatMap((extension) => extension.resources ?? []),
    ];
    await unused.endThreads();
    assert.ok(definitions.length > service.resources.size, 'with those that have no routes');
    checkDefinitions(definitions, { roles: roleNames(context.config), scopes: scopes.list() });
    checkDefinitions(serviceTables);
  });

  it('and all other paths below /v1 reserve their names', async () => {
    const service = await start();
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
    const builtin = [...service.resources.values()].map(({ definition }) => definition);
    const names = new Set(Object.keys(paths).flatMap((path) => /^\/v1\/([^/]+)/.exec(path)?.[1] ?? []));
    assert.ok(names.has('token-reports'));
    const access = { read: 'auth:api', write: 'auth:api' } as const;
    for (const name of names)
      assert.throws(
        () => checkDefinitions([defineResource({ name, fields: { title: text() }, access })], {}, builtin),
        /is a name of the service itself|is declared twice/,
        name,
      );
  });
});
