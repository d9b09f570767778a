import { Box } from '@mui/material';
import { type ComponentType, lazy, Suspense } from 'react';
import type { ResourceDescription } from '../data/descriptions.ts';
import { knownIconOf } from './icons.ts';

type Iconic = Pick<ResourceDescription, 'name' | 'icon'>;
const made = new Map<string, ComponentType<{ size?: number }>>();

/** The icon of a resource: an emoji or a named icon of the operator, or the icon of a built-in resource. */
export function iconOf({ name, icon = '' }: Iconic): ComponentType<{ size?: number }> {
  const key = `${name} ${icon}`;
  const known = made.get(key) ?? makeIcon(name, icon);
  made.set(key, known);
  return known;
}

function makeIcon(name: string, icon: string): ComponentType<{ size?: number }> {
  const Known = knownIconOf(name);
  const known = ({ size }: { size?: number }) => <Known sx={sized(size)} />;
  if (icon === '') return known;
  if (!/^[a-z]+$/.test(icon)) {
    return ({ size = 22 }) => (
      <Box component="span" aria-hidden="true" sx={{ fontSize: size, lineHeight: 1, width: 24, textAlign: 'center' }}>
        {icon}
      </Box>
    );
  }
  const Drawn = lazy(async () => {
    const drawings: Record<string, typeof Known> = await import('./drawings.ts');
    return { default: drawings[icon] ?? Known };
  });
  return ({ size }) => (
    <Suspense fallback={<Known sx={{ ...sized(size), visibility: 'hidden' }} />}>
      <Drawn sx={sized(size)} />
    </Suspense>
  );
}

const sized = (size: number | undefined) => (size === undefined ? {} : { fontSize: size, color: 'text.secondary' });

export function ResourceIcon({ description, size }: { description: Iconic; size?: number }) {
  const Icon = iconOf(description);
  return size === undefined ? <Icon /> : <Icon size={size} />;
}
