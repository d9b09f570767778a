import type { Plugin } from 'vite';
import icons from './icons.json' with { type: 'json' };

const paths: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(icons));
const imported = /^@mui\/icons-material\/(\w+)$/;
const drawn = /^\0icon:(\w+)$/;

/** Makes a component of each imported icon from its paths in icons.json. */
export function drawIcons(): Plugin {
  return {
    name: 'draw-icons',
    enforce: 'pre',
    resolveId(source) {
      const name = imported.exec(source)?.[1];
      if (name === undefined) return null;
      if (!paths.has(name))
        this.error(`console/icons/icons.json has no icon "${name}": add its paths (console/icons/README.md).`);
      return `\0icon:${name}`;
    },
    load(id) {
      const name = drawn.exec(id)?.[1] ?? '';
      const children = paths.get(name)?.map((d, i) => `jsx('path', ${JSON.stringify({ d })}, '${i}')`);
      if (!children) return null;
      const code = `import { createSvgIcon } from '@mui/material/SvgIcon';
import { jsx } from 'react/jsx-runtime';
export default /*#__PURE__*/ createSvgIcon([${children.join(', ')}], '${name}');`;
      return { code, moduleSideEffects: false };
    },
  };
}
