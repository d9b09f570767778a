import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { ended } from './command.ts';

const installed = (names: readonly string[], flag: string): string | undefined =>
  names.find((name) => spawnSync(name, [flag]).status === 0);

export const nginx = installed(['nginx', '/usr/sbin/nginx'], '-v');
export const caddy = installed(['caddy', '/usr/bin/caddy'], 'version');

/**
 * A port for a program that takes a while to listen. It is below the ephemeral port range, so no other connection or
 * server gets it meanwhile.
 */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const port = randomInt(20_000, 32_000);
    const server = createServer()
      .once('error', () => resolve(freePort()))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });

/** A complete nginx configuration for one site, in its own folder. */
export function aroundSite(dir: string, content: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const name of folders) mkdirSync(join(dir, name), { recursive: true });
  const paths = folders.map((name) => `  ${name}_temp_path ${join(dir, name)};`).join('\n');
  const owner = process.getuid?.() === 0 ? 'user root;\n' : '';
  const file = join(dir, 'nginx.conf');
  writeFileSync(
    file,
    `${owner}daemon off;\npid ${join(dir, 'nginx.pid')};\nerror_log stderr;\nworker_processes 1;\nevents {}\nhttp {\n  access_log off;\n${paths}\n${content}\n}\n`,
  );
  return file;
}

/** Starts proxies that forward to a service, and stops them after the current suite. */
export function reverseProxies() {
  const started: ChildProcess[] = [];
  after(async () => {
    for (const proxy of started) {
      proxy.kill('SIGTERM');
      await ended(proxy);
    }
  });
  /** Resolves when the address responds. */
  async function start(program: string, args: readonly string[], url: string, dir: string): Promise<void> {
    const proxy = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir },
    });
    started.push(proxy);
    let output = '';
    proxy.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    while (
      !(await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (proxy.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    }
  }
  return {
    nginx: (dir: string, site: string, url: string) =>
      start(nginx as string, ['-p', dir, '-c', aroundSite(dir, site)], url, dir),
    caddy(dir: string, site: string, url: string) {
      const file = join(dir, 'Caddyfile');
      writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${dir}\n}\n${site}\n`);
      return start(caddy as string, ['run', '--adapter', 'caddyfile', '--config', file], url, dir);
    },
  };
}
