import type { FastifyContextConfig } from 'fastify';
import findMyWay from 'find-my-way';

interface PathEntry {
  url: string;
  methods: Set<string>;
  config: FastifyContextConfig;
}

/** The existing paths and their methods: distinguishes 405 from 404, and lists the allowed methods of a path. */
export function createPathTable() {
  const byUrl = new Map<string, PathEntry>();
  // Created at the first use: most requests do not need it, and creating it would slow down the start.
  let router: ReturnType<typeof findMyWay> | undefined;
  const createRouter = () => {
    const newRouter = findMyWay({ ignoreTrailingSlash: true, maxParamLength: Number.POSITIVE_INFINITY });
    for (const entry of byUrl.values()) {
      // With ignoreTrailingSlash, Fastify reports a prefix route as both "/x" and "/x/".
      if (!newRouter.hasRoute('GET', entry.url)) newRouter.on('GET', entry.url, () => undefined, entry);
    }
    return newRouter;
  };
  return {
    add(url: string, methods: string | string[], config: FastifyContextConfig): void {
      let entry = byUrl.get(url);
      if (!entry) {
        entry = { url, methods: new Set(), config };
        byUrl.set(url, entry);
        router = undefined;
      }
      for (const method of [methods].flat()) entry.methods.add(method);
    },
    find(path: string): { url: string; allow: string; config: FastifyContextConfig } | undefined {
      router ??= createRouter();
      const entry: PathEntry | undefined = router.find('GET', path)?.store;
      if (!entry) return undefined;
      const { url, config, methods } = entry;
      return { url, allow: [...new Set([...methods, 'OPTIONS'])].sort().join(', '), config };
    },
  };
}

export type PathTable = ReturnType<typeof createPathTable>;
