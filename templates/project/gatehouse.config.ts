import { defineConfig } from 'gatehouse/config';

/** Every setting is in docs/configuration.md of Gatehouse. The environment (and `.env`) wins over this file. */
export default defineConfig({
  port: 3000,
});
