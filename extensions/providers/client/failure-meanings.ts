/** Causes and remedies of failed sign-ins with a provider. The console and the test sign-in show these sentences. */
export const failureMeanings = {
  unreachable: 'The provider did not respond in time. Check its address and the network.',
  bad_answer: 'The response of the provider violates the protocol. Check the issuer.',
  client_rejected:
    'The provider does not accept the client. Check its id, and whether its secret is wrong or has expired.',
  request_rejected:
    'The provider rejected the request. Check the redirect URI and the scopes that are registered there.',
  token_rejected: 'The ID token is invalid: its issuer, audience, nonce, algorithm or signature is wrong.',
  clock: 'The ID token has expired or is not valid yet. Check the clocks of both machines.',
  declaration: 'The declaration of the provider failed: its map, profile or clientSecret.',
  other: 'The sign-in failed for another reason. The log has the details.',
} as const;

export type FailureCode = keyof typeof failureMeanings;

export interface ProviderFailure {
  readonly code: FailureCode;
  /** For administrators: the message of the provider or the library. */
  readonly detail: string;
}

export const failureCodes: readonly string[] = Object.keys(failureMeanings);
