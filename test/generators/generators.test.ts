import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { services } from '../harness/service.ts';
import { root } from '../harness/starts.ts';
import { bringGenerators } from './bring-generators.ts';

const run = promisify(execFile);

/** A program that uses the generated code, to check that its types are the declared ones. */
const uses: Readonly<Record<string, string>> = {
  'openapi-typescript': `
    import type { components } from './api';
    type Schemas = components['schemas'];
    export const made: Schemas['CarPatch'] = {};
    export function look(car: Schemas['Car'], all: Schemas['CarList'], owners: Schemas['OwnerCarsInput']) {
      const plate: string = car.plate;
      const price: number | null = car.price_per_day;
      const owner: string | undefined = car.owner?.data?.name;
      // @ts-expect-error the field is not there
      car.colour;
      // @ts-expect-error what is required must be sent
      const wrong: Schemas['OwnerInput'] = {};
      return [plate, price, owner, all.meta.pagination.count, owners.plate, wrong];
    }`,
  '@hey-api/openapi-ts': `
    import { listCars, parkCars, type CarInput } from './index';
    export const input: CarInput = { plate: 'AB 1', model: 'Panda', owner_id: 'id' };
    export async function look(): Promise<string | undefined> {
      const parked = await parkCars({ path: { id: 'id' }, body: { place: 'here' } });
      const since: string | undefined = parked.data?.data.parked_since;
      return (await listCars({ query: { limit: 5 } })).data?.data[0]?.plate ?? since;
    }`,
  orval: `
    import { createCars, type Car } from './api';
    export async function look(): Promise<Car | undefined> {
      const { data, status } = await createCars({ plate: 'AB 1', model: 'Panda', owner_id: 'id' });
      return status === 201 ? data.data : undefined;
    }`,
};

describe('The API description', { timeout: 900_000 }, () => {
  const start = services('sqlite');
  let home: string | undefined;
  let out = '';
  before(async () => {
    home = await bringGenerators();
    if (home === undefined) return;
    out = join(home, 'out');
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
    const { url } = await start({
      env: {
        RESOURCES_DIR: join(root, 'examples/fleet/resources'),
        ROUTES_DIR: join(root, 'test/routes/project/routes'),
        VIEWS_DIR: join(root, 'test/routes/project/views'),
        BASE_URL: 'https://fleet.example.com',
      },
    });
    writeFileSync(join(out, 'openapi.json'), await (await fetch(`${url}/openapi.json`)).text());
  });

  const program = (name: string, bin: string, args: readonly string[]) => {
    const { bin: bins } = JSON.parse(readFileSync(join(home ?? '', 'node_modules', name, 'package.json'), 'utf8'));
    const file = join(home ?? '', 'node_modules', name, typeof bins === 'string' ? bins : bins[bin]);
    return run(process.execPath, [file, ...args], { cwd: out, maxBuffer: 10_000_000 });
  };

  it('passes Spectral without warnings', async (t) => {
    if (home === undefined) return t.skip('the npm registry is unreachable');
    writeFileSync(join(out, 'rules.yaml'), 'extends: ["spectral:oas"]\n');
    const args = ['lint', 'openapi.json', '--ruleset', 'rules.yaml', '--fail-severity', 'hint', '--format', 'text'];
    const { stdout } = await program('@stoplight/spectral-cli', 'spectral', args).catch((error) => {
      throw new Error(error.stdout);
    });
    assert.match(stdout, /No results/);
  });

  it('becomes code that compiles, with the declared types', async (t) => {
    if (home === undefined) return t.skip('the npm registry is unreachable');
    const made = await Promise.all([
      program('openapi-typescript', 'openapi-typescript', ['openapi.json', '-o', 'openapi-typescript/api.d.ts']),
      program('@hey-api/openapi-ts', 'openapi-ts', ['-i', 'openapi.json', '-o', '@hey-api/openapi-ts']),
      program('orval', 'orval', ['--input', 'openapi.json', '--output', 'orval/api.ts', '--client', 'fetch']),
    ]);
    for (const { stderr } of made) assert.doesNotMatch(stderr, /error/i);
    for (const [name, text] of Object.entries(uses)) writeFileSync(join(out, name, 'use.ts'), text);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    };
    writeFileSync(join(out, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [compiler, '-p', out], { maxBuffer: 10_000_000 }).catch((error) => {
      throw new Error(error.stdout);
    });
  });
});
