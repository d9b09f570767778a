import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { requestSource } from '../../http/request-source.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import {
  maxRequestLength,
  readAuthorizationParameters,
  singleValue,
} from '../../oauth/authorize/authorization-parameters.ts';
import {
  type AuthorizationRequest,
  type AuthorizationResponse,
  codeResponse,
  errorResponse,
  isSilent,
  readAuthorizationRequest,
  redirectLocation,
  type ValidatedClient,
  validateClient,
} from '../../oauth/authorize/authorization-request.ts';
import { findConsent } from '../../oauth/authorize/consent-store.ts';
import { grantAccess } from '../../oauth/authorize/grant-access.ts';
import { type BrowserLogin, findBrowserLogin, nextStep, type Step } from '../../oauth/authorize/next-step.ts';
import { resolveParameters } from '../../oauth/authorize/resolve-parameters.ts';
import { requireRealm } from '../../oauth/clients/client-rules.ts';
import { isClientDocument } from '../../oauth/clients/client-uris.ts';
import type { OAuth } from '../../oauth/oauth.ts';
import { readHint } from '../../oauth/openid/logout-request.ts';
import { invalidRequest } from '../../oauth/parameters.ts';
import { OAuthError } from '../../platform/errors.ts';
import { type PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import { consentDigest, type DescribeScope, showConsent } from './consent-page.ts';
import { type Continuation, type Continuations, formTargets } from './destinations.ts';

export interface AuthorizeServices {
  readonly oauth: OAuth;
  readonly continuations: Continuations;
  readonly describe: DescribeScope;
}

/** A request to the authorization endpoint, or to a page that follows it. */
export class AuthorizePageRequest extends PageRequest {
  readonly continuation: Continuation;

  constructor(kit: PageKit, request: FastifyRequest, reply: FastifyReply, continuation: Continuation) {
    super(kit, request, reply);
    this.continuation = continuation;
  }
}

/** The login and the validated request. */
export interface ValidatedPageRequest {
  readonly client: ValidatedClient;
  readonly authorization: AuthorizationRequest;
  readonly login: BrowserLogin;
}

/** Handles a request that needs the consent of the user. */
type Decide = (validated: ValidatedPageRequest, scopes: readonly string[]) => Promise<FastifyReply>;

/** The authorization endpoint: shows pages if needed, then responds to the application. */
export class AuthorizePage {
  readonly #services: AuthorizeServices;

  constructor(services: AuthorizeServices) {
    this.#services = services;
  }

  /** Starts the request, or continues it after another page. */
  respond(pageRequest: AuthorizePageRequest): Promise<FastifyReply> {
    return this.#decide(pageRequest, (validated, scopes) => this.askConsent(pageRequest, validated, scopes));
  }

  /** The user has decided. All checks run again, as if there had been no question before. */
  allow(pageRequest: AuthorizePageRequest, decide: Decide): Promise<FastifyReply> {
    return this.#decide(pageRequest, decide, { asksAgain: true });
  }

  /** The user has denied access. */
  deny(pageRequest: AuthorizePageRequest): Promise<FastifyReply> {
    return this.#nextStep(pageRequest, async () => {
      throw new OAuthError('access_denied', 'The user denied the request.');
    });
  }

  #decide(pageRequest: AuthorizePageRequest, decide: Decide, options = {}): Promise<FastifyReply> {
    return this.#nextStep(
      pageRequest,
      async ({ step, ...validated }) => {
        if (step.kind === 'grant') return this.grant(pageRequest, validated, step.scopes);
        if (step.kind === 'choose-account') return this.#chooseAccount(pageRequest, validated.client, validated.login);
        return decide(validated, step.scopes);
      },
      options,
    );
  }

  async #nextStep(
    pageRequest: AuthorizePageRequest,
    go: (validated: ValidatedPageRequest & { step: Exclude<Step, { kind: 'sign-in' }> }) => Promise<FastifyReply>,
    { asksAgain = false } = {},
  ): Promise<FastifyReply> {
    const { oauth } = this.#services;
    const { query, progress } = pageRequest.continuation;
    const { database, now } = oauth.context;
    const queryParameters = readAuthorizationParameters(query);
    const resolved = await resolveParameters(oauth, queryParameters, {
      resumed: progress.signInStartedAt !== undefined,
    });
    const { parameters } = resolved;
    const login = await findBrowserLogin(oauth, pageRequest.caller);
    // Anonymous callers must not make this service fetch an address.
    const clientId = parameters.get('client_id')?.[0] ?? '';
    if (!login && !isSilent(parameters) && isClientDocument(oauth.context.config, clientId)) {
      return this.signIn(pageRequest);
    }
    if (login) await oauth.registeredClients.refreshDocument(clientId, requestSource(pageRequest.request));
    const validatedClient = await validateClient(oauth.clients, parameters);
    try {
      if (query.length > maxRequestLength)
        throw invalidRequest(`The request has more than ${maxRequestLength} characters.`);
      // RFC 9700 4.11.2: before the user has signed in, a link with an error must not cause a redirect.
      if (!login && !isSilent(parameters)) return this.signIn(pageRequest);
      const authorization = readAuthorizationRequest(oauth, validatedClient, resolved);
      const parties = login && { userId: login.userId, clientId: validatedClient.client.id };
      const consent = parties && !asksAgain ? await findConsent(database.db, parties) : undefined;
      const expectedUserId = await this.#expectedUserId(validatedClient, singleValue(parameters, 'id_token_hint'));
      const highestAcr = login && authorization.acr ? await oauth.highestAcr(login.userId) : undefined;
      const step = nextStep(authorization, {
        login,
        progress,
        consent,
        expectedUserId,
        highestAcr,
        now: now(),
      });
      if (step.kind === 'sign-in' || !login) return this.signIn(pageRequest);
      // The user is not asked for consent that cannot be granted. With select_account, another account may be able to grant it.
      if (step.kind !== 'choose-account') {
        await requireRealm(database.db, validatedClient.client, login.userId, 'access_denied');
      }
      return await go({ client: validatedClient, authorization, login, step });
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      oauth.context.metrics.authorizations.inc({ result: error.error });
      return this.#return(
        pageRequest,
        validatedClient,
        errorResponse(validatedClient, oauth.context.config.baseUrl, error),
      );
    }
  }

  /** The user that the application expects, from an ID token. Undefined without an ID token. */
  async #expectedUserId({ client }: ValidatedClient, hint: string | undefined): Promise<string | undefined> {
    const hinted = hint === undefined ? undefined : await readHint(this.#services.oauth, hint);
    return hinted?.clientId === client.id ? hinted.userId : undefined;
  }

  /** Redirects to the login page. The unchanged request continues afterwards. */
  signIn(pageRequest: AuthorizePageRequest): Promise<FastifyReply> {
    const { kit, reply, continuation } = pageRequest;
    const progress = { signInStartedAt: kit.now() };
    const next = this.#services.continuations.path({ query: continuation.query, progress });
    if (pageRequest.caller.kind === 'anonymous') kit.cookies.setReturnPath(reply, next);
    return pageRequest.redirect(`${kit.loginPath}?next=${encodeURIComponent(next)}`, 302);
  }

  async #chooseAccount(pageRequest: AuthorizePageRequest, validatedClient: ValidatedClient, { userId }: BrowserLogin) {
    return this.#show(pageRequest, validatedClient, 'authorize-account', {
      title: message('authorize_account.title'),
      person: await personOf(pageRequest, userId),
    });
  }

  async askConsent(
    pageRequest: AuthorizePageRequest,
    { authorization, login, client }: ValidatedPageRequest,
    scopes: readonly string[],
    variables: Variables = {},
  ): Promise<FastifyReply> {
    const shownConsent = await this.describeConsent(pageRequest, authorization, scopes);
    const left_out = Array.isArray(variables.left_out) ? variables.left_out : [];
    return this.#show(pageRequest, client, 'authorize', {
      title: message('authorize.title', { application: client.client.name }),
      application: shownConsent.application,
      return_host: shownConsent.returnHost,
      scopes: shownConsent.scopes.map((scope) => ({ ...scope, checked: !left_out.includes(scope.name) })),
      details: shownConsent.details,
      shown: consentDigest(shownConsent),
      person: await personOf(pageRequest, login.userId),
      ...variables,
    });
  }

  describeConsent({ kit }: PageRequest, authorization: AuthorizationRequest, scopes: readonly string[]) {
    return showConsent(kit, authorization, scopes, this.#services.describe);
  }

  #show(
    pageRequest: AuthorizePageRequest,
    { client, redirectUri }: ValidatedClient,
    view: string,
    variables: Variables,
  ): Promise<FastifyReply> {
    const continuation = this.#services.continuations.fields(pageRequest.continuation);
    const sources = { formTargets: formTargets(redirectUri), image: client.logo_uri };
    return pageRequest.show(view, { application: { name: client.name }, continuation, ...variables }, sources);
  }

  /** `shownScopes`: the scopes that the consent page has just shown. */
  async grant(
    pageRequest: AuthorizePageRequest,
    { authorization, login }: ValidatedPageRequest,
    scopes: readonly string[],
    shownScopes?: readonly string[],
  ): Promise<FastifyReply> {
    const { oauth } = this.#services;
    const source = requestSource(pageRequest.request);
    const code = await grantAccess(oauth, {
      request: authorization,
      login,
      scopes,
      ...(shownScopes ? { shownScopes } : {}),
      source,
    });
    oauth.context.metrics.authorizations.inc({ result: 'granted' });
    return this.#return(pageRequest, authorization, codeResponse(authorization, oauth.context.config.baseUrl, code));
  }

  /** RFC 9700 4.12: 303 after a form, so that the browser does not send the form data on. */
  async #return(pageRequest: PageRequest, { client }: ValidatedClient, response: AuthorizationResponse) {
    const { kit, request, reply } = pageRequest;
    if (kit.cookies.read(request).going) kit.cookies.clearReturnPath(reply);
    if (response.mode === 'form_post') return showSelfSubmittingForm(pageRequest, client.name, response);
    return reply
      .header('cache-control', 'no-store')
      .redirect(redirectLocation(response), request.method === 'POST' ? 303 : 302);
  }
}

/** A page with a form that submits itself. */
function showSelfSubmittingForm(
  pageRequest: PageRequest,
  application: string,
  { redirectUri, parameters }: AuthorizationResponse,
): Promise<FastifyReply> {
  const fields = Object.entries(parameters).map(([name, value]) => ({ name, value }));
  const variables = { title: message('form_post.title'), application: { name: application } };
  const sources = { formTargets: formTargets(redirectUri) };
  return pageRequest.show('form-post', { ...variables, action: redirectUri, fields }, sources);
}

async function personOf({ kit }: PageRequest, userId: string): Promise<{ label: string; login: string }> {
  const user = await findUser(kit.database.db, userId);
  const login = user?.email ?? user?.username ?? user?.phone ?? '';
  return { label: user?.name || login, login };
}
