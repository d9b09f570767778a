import { defineConfig } from 'gatehouse-server/config';

/** Every setting is in node_modules/gatehouse-server/docs/configuration.md. The environment and `.env` take precedence over this file. */
export default defineConfig({
  port: 3000,
});
