import type { FastifyContextConfig } from 'fastify';
import findMyWay from 'find-my-way';

interface Known {
  url: string;
  methods: Set<string>;
  config: FastifyContextConfig;
}

/** The existing paths and their methods: distinguishes 405 from 404, and lists the allowed methods of a path. */
export function createPathTable() {
  const byUrl = new Map<string, Known>();
  // Made when first needed: most requests do not need it, and a start would take longer.
  let router: ReturnType<typeof findMyWay> | undefined;
  const makeRouter = () => {
    const made = findMyWay({ ignoreTrailingSlash: true });
    for (const known of byUrl.values()) {
      // With ignoreTrailingSlash, Fastify reports a prefix route as both "/x" and "/x/".
      if (!made.hasRoute('GET', known.url)) made.on('GET', known.url, () => undefined, known);
    }
    return made;
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
      router ??= makeRouter();
      const known = router.find('GET', path)?.store as Known | undefined;
      if (!known) return undefined;
      const { url, config, methods } = known;
      return { url, allow: [...methods, 'OPTIONS'].sort().join(', '), config };
    },
  };
}

export type PathTable = ReturnType<typeof createPathTable>;
