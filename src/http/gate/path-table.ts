import type { FastifyContextConfig } from 'fastify';
import findMyWay from 'find-my-way';

interface KnownPath {
  url: string;
  methods: Set<string>;
  config: FastifyContextConfig;
}

/** The existing paths and their methods: distinguishes 405 from 404, and lists the allowed methods of a path. */
export function createPathTable() {
  const byUrl = new Map<string, KnownPath>();
  // Created at the first use: most requests do not need it, and creating it would slow down the start.
  let router: ReturnType<typeof findMyWay> | undefined;
  const createRouter = () => {
    const created = findMyWay({ ignoreTrailingSlash: true });
    for (const known of byUrl.values()) {
      // With ignoreTrailingSlash, Fastify reports a prefix route as both "/x" and "/x/".
      if (!created.hasRoute('GET', known.url)) created.on('GET', known.url, () => undefined, known);
    }
    return created;
  };
  return {
    add(url: string, methods: string | string[], config: FastifyContextConfig): void {
      let known = byUrl.get(url);
      if (!known) {
        known = { url, methods: new Set(), config };
        byUrl.set(url, known);
        router = undefined;
      }
      for (const method of [methods].flat()) known.methods.add(method);
    },
    find(path: string): { url: string; allow: string; config: FastifyContextConfig } | undefined {
      router ??= createRouter();
      const known: KnownPath | undefined = router.find('GET', path)?.store;
      if (!known) return undefined;
      const { url, config, methods } = known;
      return { url, allow: [...methods, 'OPTIONS'].sort().join(', '), config };
    },
  };
}

export type PathTable = ReturnType<typeof createPathTable>;
