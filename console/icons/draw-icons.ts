import type { Plugin } from 'vite';
import icons from './icons.json' with { type: 'json' };

/** The SVG paths of each icon, or the name of another icon with the same drawing. */
const drawings: ReadonlyMap<string, readonly string[] | string> = new Map(Object.entries(icons));
const imported = /^@mui\/icons-material\/(\w+)$/;
const drawn = /^\0icon:(\w+)$/;
const reexport = (name: string, as = 'default') => `export { default as ${as} } from '@mui/icons-material/${name}';\n`;

/** Makes a component of each imported icon from its paths in icons.json. The module `declared` exports those that a declaration may name. */
export function drawIcons(): Plugin {
  return {
    name: 'draw-icons',
    enforce: 'pre',
    resolveId(source) {
      const name = imported.exec(source)?.[1];
      if (name === undefined) return null;
      if (name !== 'declared' && !drawings.has(name))
        this.error(`console/icons/icons.json has no icon "${name}": add its paths (console/icons/README.md).`);
      return `\0icon:${name}`;
    },
    load(id) {
      const name = drawn.exec(id)?.[1];
      if (name === undefined) return null;
      return { code: name === 'declared' ? declaredIcons() : componentOf(name), moduleSideEffects: false };
    },
  };
}

const declaredIcons = (): string =>
  [...drawings.keys()]
    .filter((name) => /^[a-z]/.test(name))
    .map((name) => reexport(name, name))
    .join('');

function componentOf(name: string): string {
  const drawing = drawings.get(name) ?? [];
  if (typeof drawing === 'string') return reexport(drawing);
  const children = drawing.map((d, i) => `jsx('path', ${JSON.stringify({ d })}, '${i}')`);
  return `import { createSvgIcon } from '@mui/material/SvgIcon';
import { jsx } from 'react/jsx-runtime';
export default /*#__PURE__*/ createSvgIcon([${children.join(', ')}], '${name}');`;
}
