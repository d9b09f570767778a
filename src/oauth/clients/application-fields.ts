import type { ApplicationInput } from './check-application.ts';
import type { ApplicationFields } from './client-store.ts';

/** From the names of the API. */
export const applicationFields = (values: ApplicationInput): ApplicationFields => ({
  public: values.public ?? false,
  redirectUris: values.redirect_uris ?? [],
  postLogoutRedirectUris: values.post_logout_redirect_uris ?? [],
  homepageUri: values.homepage_uri ?? null,
  logoUri: values.logo_uri ?? null,
  backchannelLogoutUri: values.backchannel_logout_uri ?? null,
  trusted: values.trusted ?? false,
});
