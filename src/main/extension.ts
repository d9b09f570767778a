import type { Context } from '../database/context.ts';
import type { App } from '../http/app.ts';
import type { OAuth } from '../oauth/oauth.ts';
import type { LegacyTokens } from '../oauth/sessions/tokens/legacy-tokens.ts';
import type { ResourceDefinition } from '../resources/declaration/define-resource.ts';
import type { Resources } from '../resources/model/resource.ts';
import type { BackgroundJob } from './background.ts';

/** The additions of a folder in `extensions/` to the service. The core imports none of them: `extensions.ts` loads each when it is used. */
export interface Extension {
  readonly resources?: readonly ResourceDefinition[];
  /** Called before the first route is declared, so that it sees every route. */
  beforeRoutes?(app: App, context: Context, resources: readonly ResourceDefinition[]): void;
  /** Adds its own routes. */
  serve?(app: App, oauth: OAuth, resources: Resources): void;
  maintenance?(context: Context): readonly BackgroundJob[];
}

/** Tokens of an imported service, and the job that deletes expired ones. */
export interface LegacyTokensExtension extends LegacyTokens {
  prune(): Promise<void>;
  close(): Promise<void>;
}
