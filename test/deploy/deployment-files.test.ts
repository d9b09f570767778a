import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseConfig } from '../../src/config/config.ts';
import { root } from '../harness/starts.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const linesOf = (path: string): string[] =>
  read(path)
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line));

/** The settings in `.env` or in a secret. */
const given = { POSTGRES_PASSWORD: 'ab/cd+e=@:?#%', ENCRYPTION_KEY: 'a'.repeat(32) };

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}` like Compose. */
const filled = (text: string): string =>
  text.replaceAll(/\$\{(\w+)(?:(:[-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    const value = given[name as keyof typeof given];
    if (value === undefined && kind === ':?') throw new Error(`${name} is required: ${rest}`);
    return value ?? rest;
  });

/** The block below a key, without its indentation. */
function below(text: string, key: string): string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trim() === `${key}:`);
  const deep = (lines[start] ?? '').search(/\S/);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= deep);
  return rest.slice(0, end < 0 ? undefined : end).map((line) => line.slice(deep + 2));
}

/** Parses the YAML subset of these files: two spaces per level, one key or list item per line, and unique keys. */
function checkYaml(path: string, known: readonly string[]): void {
  const seen: Set<string>[] = [];
  for (const line of linesOf(path)) {
    const [, indent = '', dash = '', key, value = ''] =
      /^((?: {2})*)(- )?(?:([A-Za-z][\w-]*):)?(?: ?(\S.*))?$/.exec(line) ?? assert.fail(`${path}: ${line}`);
    const level = (indent.length + dash.length) / 2;
    assert.ok(level <= seen.length + (dash ? 1 : 0), `${path}: indented too deeply: ${line}`);
    if (dash) seen.length = Math.min(seen.length, level);
    seen.length = Math.min(seen.length, level + 1);
    seen[level] ??= new Set();
    for (let each = 0; each < level; each++) seen[each] ??= new Set();
    if (key === undefined) continue;
    assert.ok(!seen[level]?.has(key), `${path}: duplicate key "${key}": ${line}`);
    seen[level]?.add(key);
    const isName = /^[A-Z_]+$/.test(key) || value.startsWith('{');
    assert.ok(isName || known.includes(key), `${path}: unknown key "${key}": ${line}`);
    for (const pair of ['[]', '{}', "''"]) {
      const [open, close] = [...pair].map((char) => value.replaceAll(/\$\{[^}]*\}/g, '').split(char as string).length);
      assert.ok(pair === "''" ? ((open as number) - 1) % 2 === 0 : open === close, `${path}: ${line}`);
    }
  }
}

describe('compose.yaml', () => {
  const keys = [
    ...[
      'services',
      'build',
      'image',
      'read_only',
      'tmpfs',
      'ports',
      'env_file',
      'environment',
      'volumes',
      'depends_on',
    ],
    ...[
      'restart',
      'stop_grace_period',
      'healthcheck',
      'test',
      'interval',
      'retries',
      'gatehouse',
      'api',
      'database',
      'data',
      'postgres',
    ],
  ];
  for (const path of ['compose.yaml', 'templates/project/compose.yaml']) {
    it(`${path} has valid syntax and valid settings`, () => {
      checkYaml(path, keys);
      const text = read(path);
      const [, service = ''] = /^services:\n {2}(\w+):/m.exec(text) ?? [];
      const environment = Object.fromEntries(
        below(below(text, service).join('\n'), 'environment').flatMap((line) => {
          const [, name, value = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
          return name ? [[name, filled(value.replace(/^'(.*)'$/, '$1'))]] : [];
        }),
      );
      assert.equal(environment.PGPASSWORD, given.POSTGRES_PASSWORD, 'a password with any characters arrives unchanged');
      const config = parseConfig({}, environment, root);
      assert.deepEqual([config.host, config.port, config.dataDir], ['0.0.0.0', 3000, '/data']);
      assert.match(
        below(text, service).join('\n'),
        /^env_file: \[\{ path: \.env, required: false \}\]$/m,
        'the other settings of .env arrive too',
      );
      assert.doesNotMatch(config.databaseUrl, /:[^/]*@/, 'the URL contains no password');
      assert.match(text, /^ {4}ports: \['127\.0\.0\.1:3000:3000'\]$/m);
      const [, seconds] = /^ {4}stop_grace_period: (\d+)s$/m.exec(text) ?? [];
      assert.ok(Number(seconds) >= config.drainSeconds + 10, 'a stop can finish running requests');
    });
  }

  it('is accepted by docker compose', {
    skip: spawnSync('docker', ['compose', 'version']).status !== 0 && 'docker compose is not installed here',
  }, () => {
    const args = [
      'compose',
      '--project-directory',
      root,
      '-f',
      join(root, 'compose.yaml'),
      'config',
      '--no-env-resolution',
      '--quiet',
    ];
    const { status, stderr } = spawnSync('docker', args, {
      env: { PATH: process.env.PATH, ...given },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });

  it('requires only variables that .env.example lists', () => {
    const example = read('templates/project/env.example');
    for (const [, name] of read('templates/project/compose.yaml').matchAll(/\$\{(\w+)/g))
      assert.match(example, new RegExp(`^# ${name}=`, 'm'));
    const settings = [...example.matchAll(/^# ([A-Z_]+)=(.+)$/gm)].map(([, name, value]) => [name, value]);
    assert.doesNotThrow(() => parseConfig({}, {}, root, Object.fromEntries(settings)));
  });
});

describe('The files for platforms', () => {
  it('fly.toml has valid syntax and valid settings', () => {
    for (const line of linesOf('deploy/fly.toml'))
      assert.match(line.trim(), /^(\[[a-z_.]+\]|\[\[[a-z_.]+\]\]|[A-Za-z_]+ = ('[^']*'|\d+|true|false))$/, line);
    const [, env = ''] = /\[env\]\n([\s\S]*?)\n\[/.exec(read('deploy/fly.toml')) ?? [];
    const settings = Object.fromEntries([...env.matchAll(/(\w+) = '(.*)'/g)].map(([, name, value]) => [name, value]));
    assert.match(parseConfig({}, settings, root).baseUrl, /^https:/);
    const [, port] = /internal_port = (\d+)/.exec(read('deploy/fly.toml')) ?? [];
    assert.match(read('templates/project/Dockerfile'), new RegExp(`PORT=${port}\\b`));
  });

  it('render.yaml is a valid blueprint with valid settings', () => {
    checkYaml('deploy/render.yaml', [
      ...[
        'databases',
        'services',
        'name',
        'plan',
        'type',
        'runtime',
        'healthCheckPath',
        'maxShutdownDelaySeconds',
        'envVars',
      ],
      ...['key', 'value', 'fromDatabase', 'property', 'generateValue', 'sync'],
    ]);
    const entries = read('deploy/render.yaml')
      .split(/^ {6}- key: /m)
      .slice(1);
    const settings = entries.map((entry): [string, string] => {
      const [name = '', ...rest] = entry.split('\n');
      const [, value] = /^ {8}value: (.+)$/m.exec(rest.join('\n')) ?? [];
      const [isUrl, isEmail] = [name === 'DATABASE_URL', name === 'ADMIN_EMAIL'];
      return [name, value ?? (isUrl ? 'postgres://a:b@c/d' : isEmail ? 'ada@example.com' : 'x'.repeat(32))];
    });
    const config = parseConfig({}, Object.fromEntries(settings), root);
    assert.ok(config.trustProxy.length > 10 && config.proxiedClients.length === 1);
  });
});
