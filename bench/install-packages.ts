import { fileURLToPath } from 'node:url';
import { install } from '../scripts/install-and-build.mjs';

/** The peers and the load generator have separate lock files, so that Gatehouse itself installs none of them. */
export const installPackages = (folder: 'peers' | '.'): Promise<void> =>
  install([
    {
      folder: fileURLToPath(new URL(folder, import.meta.url)),
      label: folder === 'peers' ? 'the servers to compare with' : 'autocannon',
    },
  ]);
