import type { Context } from '../database/context.ts';
import type { App } from '../http/app.ts';
import type { SignInProviders } from '../identity/providers/sign-in-providers.ts';
import type { PageKit } from '../pages/kit/page-request.ts';
import type { ResourceDefinition } from '../resources/declaration/define-resource.ts';
import type { ChangeFeed } from '../resources/model/change-feed.ts';
import type { Resources } from '../resources/model/resource.ts';
import type { BackgroundJob } from './background.ts';
import type { Finding } from './finding.ts';
import type { Services } from './services.ts';

/** What a folder in `extensions/` adds to the service. `all-extensions.ts` there lists those that each start loads. */
export interface Extension {
  readonly resources?: readonly ResourceDefinition[];
  /** Writes to the database at start. Called when all extensions are created. */
  start?(): Promise<void>;
  /** Called before the first route is declared, so that it sees every route. */
  beforeRoutes?(app: App, resources: readonly ResourceDefinition[]): void;
  /** Adds OAuth endpoints. */
  serveOAuth?(app: App): void;
  /** Adds endpoints for tokens. Called between the first-party endpoints for login and logout. */
  serveTokens?(app: App): void;
  /** Adds its own routes. `all` contains every loaded extension. */
  serve?(app: App, resources: Resources, all: readonly Extension[]): void;
  /** Adds its own pages. Called before the pages of the core are added. */
  servePages?(app: App, kit: PageKit): void;
  /** Sign-in with identity providers. Exactly one extension has it. */
  readonly providers?: SignInProviders;
  /** Findings of `gatehouse doctor` about the running service. */
  findings?(): Promise<Finding[]>;
  /** The change feed. Exactly one extension has it. */
  readonly changeFeed?: ChangeFeed;
  readonly maintenance?: readonly BackgroundJob[];
}

/** Creates an extension for one running service. It writes nothing to the database, because the start can still fail. */
export type CreateExtension = (context: Context, services: Services) => Extension | Promise<Extension>;
