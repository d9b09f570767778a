import { createServer, connect as dial, type Socket } from 'node:net';
import { after } from 'node:test';

type Way = 'to server' | 'to client';

/** A TCP proxy between an instance and PostgreSQL that can silently drop data. */
export interface TcpProxy {
  /** The database's address through it. */
  readonly url: string;
  /** Drops the bytes in these directions: on the connection that receives invalidations, or on every connection, including new ones. */
  swallow(ways: readonly Way[], whose?: 'invalidations' | 'all'): void;
  /** Forwards everything again. Closes the connections that lost bytes. */
  restore(): void;
  /** Closes the connections that receive invalidations. */
  cut(): void;
  /** Silently drops everything on the existing connections. New connections work. */
  strand(): void;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  hearsNews: boolean;
  hasLost: boolean;
  isStranded: boolean;
}

/** Call it in the body of a suite. Proxies are closed after the suite. */
export function tcpProxies(): (databaseUrl: string) => Promise<TcpProxy> {
  const closings: (() => void)[] = [];
  after(() => {
    for (const close of closings) close();
  });
  return async (databaseUrl) => {
    const { proxy, close } = await startProxy(databaseUrl);
    closings.push(close);
    return proxy;
  };
}

async function startProxy(databaseUrl: string): Promise<{ proxy: TcpProxy; close(): void }> {
  const target = new URL(databaseUrl);
  const links = new Set<Link>();
  let lost: { ways: readonly Way[]; whose: 'invalidations' | 'all' } = { ways: [], whose: 'invalidations' };
  const pass = (link: Link, way: Way, chunk: Buffer) => {
    if (link.isStranded) return;
    if (way === 'to server' && chunk.includes('listen gatehouse_')) link.hearsNews = true;
    if (lost.ways.includes(way) && (lost.whose === 'all' || link.hearsNews)) link.hasLost = true;
    else (way === 'to server' ? link.server : link.client).write(chunk);
  };
  const end = (link: Link) => {
    links.delete(link);
    link.client.destroy();
    link.server.destroy();
  };
  const listener = createServer((client) => {
    const server = dial(Number(target.port), target.hostname);
    const link: Link = { client, server, hearsNews: false, hasLost: false, isStranded: false };
    links.add(link);
    client.on('data', (chunk) => pass(link, 'to server', chunk as Buffer));
    server.on('data', (chunk) => pass(link, 'to client', chunk as Buffer));
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => end(link));
      socket.on('close', () => end(link));
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((listener.address() as { port: number }).port);
  const endWhere = (matches: (link: Link) => boolean) => {
    for (const link of links) if (matches(link)) end(link);
  };
  return {
    proxy: {
      url: url.href,
      swallow(ways, whose = 'invalidations') {
        lost = { ways, whose };
      },
      restore() {
        lost = { ways: [], whose: 'invalidations' };
        endWhere(({ hasLost }) => hasLost);
      },
      cut: () => endWhere(({ hearsNews }) => hearsNews),
      strand() {
        for (const link of links) link.isStranded = true;
      },
    },
    close() {
      listener.close();
      endWhere(() => true);
    },
  };
}
