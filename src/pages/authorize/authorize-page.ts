import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { requestSource } from '../../http/request-source.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { grantAccess } from '../../oauth/authorize/authorization-codes.ts';
import {
  type AuthorizationParameters,
  maxRequestLength,
  readAuthorizationParameters,
  requestedUserIds,
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
import { type BrowserLogin, findBrowserLogin, nextStep } from '../../oauth/authorize/next-step.ts';
import { resolveParameters } from '../../oauth/authorize/resolve-parameters.ts';
import { requireRealm } from '../../oauth/clients/client-rules.ts';
import { isClientDocument } from '../../oauth/clients/client-uris.ts';
import { readIdTokenHint } from '../../oauth/openid/id-token.ts';
import { invalidRequest } from '../../oauth/parameters.ts';
import { badRequest, OAuthError } from '../../platform/errors.ts';
import { asObject } from '../../platform/is-object.ts';
import { type PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import { consentDigest, showConsent } from './consent-page.ts';
import { type Continuation, continuationFields, continuationPath, formTargets } from './destinations.ts';

type Scopes = readonly string[];

/**
 * A request to the authorization endpoint, or to a page that follows it. Shows pages if needed, then responds to the
 * application.
 */
export class AuthorizePageRequest extends PageRequest {
  #continuation: Continuation;

  constructor(kit: PageKit, request: FastifyRequest, reply: FastifyReply, continuation: Continuation | undefined) {
    super(kit, request, reply);
    if (!continuation)
      throw badRequest('The request of the application is missing. Go back to the application and start again.');
    this.#continuation = continuation;
  }

  /** Carries out the user's decision. */
  async decide(): Promise<FastifyReply> {
    const { caller, kit } = this;
    const continuation = this.#continuation;
    // The session ended while the page was open. The decision is dropped, and the user is asked again.
    if (caller.kind === 'anonymous') return this.redirect(continuationPath(kit.oauth, continuation));
    kit.checkForm(this.request);
    const { decision } = this.form('decision');
    if (decision === 'allow' || decision === 'deny') return this.respond(decision);
    if (decision === 'other-account') return this.#signIn();
    if (decision !== 'this-account') throw badRequest('Press one of the buttons.');
    const progress = { ...continuation.progress, chosenSessionId: caller.sessionId ?? undefined };
    return this.redirect(continuationPath(kit.oauth, { ...continuation, progress }));
  }

  /** Starts the request, or continues it after another page. After a decision, all checks run again, as if there had been no question before. */
  async respond(decision?: 'allow' | 'deny'): Promise<FastifyReply> {
    const { oauth } = this.kit;
    const { query, progress, acceptedAt } = this.#continuation;
    const { config, database, metrics, now } = oauth.context;
    const isAccepted = acceptedAt !== undefined;
    const resolved = await resolveParameters(oauth, readAuthorizationParameters(query), { isAccepted });
    this.#continuation = { query, progress, acceptedAt: acceptedAt ?? now() };
    const { parameters } = resolved;
    const login = await findBrowserLogin(oauth, this.caller);
    // Anonymous callers must not make this service fetch an address.
    const clientId = parameters.get('client_id')?.[0] ?? '';
    if (!login && !isSilent(parameters) && isClientDocument(config, clientId)) return this.#signIn();
    if (login) await oauth.registeredClients.refreshDocument(clientId, requestSource(this.request));
    const validated = await validateClient(oauth.clients, parameters);
    try {
      if (query.length > maxRequestLength)
        throw invalidRequest(`The request has more than ${maxRequestLength} characters.`);
      // RFC 9700 4.11.2: before the user has signed in, a link with an error must not cause a redirect.
      if (!login && !isSilent(parameters)) return this.#signIn();
      const authorization = readAuthorizationRequest(oauth, validated, resolved);
      const parties = login && { userId: login.userId, clientId: validated.client.id };
      const consent = parties && decision !== 'allow' ? await findConsent(database.db, parties) : undefined;
      const expectedUserIds = await this.#expectedUserIds(validated, parameters);
      const highestAcr = login && authorization.acr ? await oauth.highestAcr(login.userId) : undefined;
      const step = nextStep(authorization, { login, progress, consent, expectedUserIds, highestAcr, now: now() });
      if (step.kind === 'sign-in' || !login) return this.#signIn();
      // The user is not asked for consent that cannot be granted. With select_account, another account may be able to grant it.
      if (step.kind !== 'choose-account')
        await requireRealm(database.db, validated.client, login.userId, 'access_denied');
      if (decision === 'deny') throw new OAuthError('access_denied', 'The user denied the request.');
      if (step.kind === 'choose-account') return await this.#chooseAccount(validated, login);
      if (step.kind === 'grant') return await this.#grant(authorization, login, step.scopes);
      if (decision === 'allow') return await this.#allow(authorization, login, step.scopes);
      return await this.#askConsent(authorization, login, step.scopes);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      metrics.authorizations.inc({ result: error.error });
      return this.#return(validated, errorResponse(validated, config.baseUrl, error));
    }
  }

  /** The users that the application accepts, from an ID token and the claim `sub`. Undefined: any user. */
  async #expectedUserIds({ client }: ValidatedClient, parameters: AuthorizationParameters) {
    const hint = singleValue(parameters, 'id_token_hint');
    const hinted = hint === undefined ? undefined : await readIdTokenHint(this.kit.oauth, hint);
    const requested = requestedUserIds(parameters);
    if (hinted?.clientId !== client.id) return requested;
    return requested?.filter((id) => id === hinted.userId) ?? [hinted.userId];
  }

  /** Redirects to the login page. The unchanged request continues afterwards. */
  #signIn(): Promise<FastifyReply> {
    const { kit, reply, caller } = this;
    const progress = { signInStartedAt: kit.now() };
    const next = continuationPath(kit.oauth, { ...this.#continuation, progress });
    if (caller.kind === 'anonymous') kit.cookies.setReturnPath(reply, next);
    return this.redirect(`${kit.loginPath}?next=${encodeURIComponent(next)}`, 302);
  }

  async #chooseAccount(validated: ValidatedClient, { userId }: BrowserLogin) {
    const title = message('authorize_account.title');
    return this.#showStep(validated, 'authorize-account', { title, person: await this.#personOf(userId) });
  }

  async #askConsent(authorization: AuthorizationRequest, { userId }: BrowserLogin, scopes: Scopes, variables = {}) {
    const shown = await showConsent(this.kit, authorization, scopes);
    const { left_out = [] }: { left_out?: Scopes } = variables;
    return this.#showStep(authorization, 'authorize', {
      title: message('authorize.title', { application: authorization.client.name }),
      application: shown.application,
      return_host: shown.returnHost,
      scopes: shown.scopes.map((scope) => ({ ...scope, checked: !left_out.includes(scope.name) })),
      details: shown.details,
      shown: consentDigest(shown),
      person: await this.#personOf(userId),
      ...variables,
    });
  }

  /** The user has allowed the ticked scopes of the consent page. */
  async #allow(authorization: AuthorizationRequest, login: BrowserLogin, scopes: Scopes): Promise<FastifyReply> {
    const body = asObject(this.request.body);
    const shown = await showConsent(this.kit, authorization, scopes);
    const isTicked = (name: string) => body[`scope:${name}`] !== undefined;
    const chosen = shown.scopes.filter(({ name, fixed }) => fixed || isTicked(name)).map(({ name }) => name);
    const askAgain = (status: number, variables: Variables) =>
      this.status(status).#askConsent(authorization, login, scopes, variables);
    if (body.shown !== consentDigest(shown)) return askAgain(409, { problem: message('authorize.changed') });
    if (chosen.length > 0) return this.#grant(authorization, login, chosen, scopes);
    const left_out = scopes.filter((name) => !chosen.includes(name));
    return askAgain(422, { problem: message('authorize.tick_one'), left_out });
  }

  #showStep({ client, redirectUri }: ValidatedClient, view: string, variables: Variables): Promise<FastifyReply> {
    const continuation = continuationFields(this.kit.oauth, this.#continuation);
    const sources = { formTargets: formTargets(redirectUri), image: client.logo_uri };
    const here = continuationPath(this.kit.oauth, this.#continuation);
    return this.show(view, { application: { name: client.name }, continuation, here, ...variables }, sources);
  }

  /** `shownScopes`: the scopes that the consent page has just shown. */
  async #grant(request: AuthorizationRequest, login: BrowserLogin, scopes: Scopes, shownScopes?: Scopes) {
    const { oauth, config } = this.kit;
    const source = requestSource(this.request);
    const code = await grantAccess(oauth, { request, login, scopes, shownScopes, source });
    oauth.context.metrics.authorizations.inc({ result: 'granted' });
    return this.#return(request, codeResponse(request, config.baseUrl, code));
  }

  /** RFC 9700 4.12: 303 after a form, so that the browser does not send the form data on. */
  async #return({ client }: ValidatedClient, response: AuthorizationResponse): Promise<FastifyReply> {
    const { kit, request, reply } = this;
    if (kit.cookies.read(request).going) kit.cookies.clearReturnPath(reply);
    if (response.mode === 'form_post') return this.#showSelfSubmittingForm(client.name, response);
    return reply
      .header('cache-control', 'no-store')
      .redirect(redirectLocation(response), request.method === 'POST' ? 303 : 302);
  }

  /** A page with a form that submits itself. */
  #showSelfSubmittingForm(application: string, { redirectUri, parameters }: AuthorizationResponse) {
    const fields = Object.entries(parameters).map(([name, value]) => ({ name, value }));
    const variables = { title: message('form_post.title'), application: { name: application } };
    const sources = { formTargets: formTargets(redirectUri) };
    return this.show('form-post', { ...variables, action: redirectUri, fields }, sources);
  }

  async #personOf(userId: string): Promise<{ label: string; login: string }> {
    const user = await findUser(this.kit.database.db, userId);
    const login = user?.email ?? user?.username ?? user?.phone ?? '';
    return { label: user?.name || login, login };
  }
}
