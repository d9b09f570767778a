/** A provider for a sign-in button. */
export interface ProviderButton {
  readonly name: string;
  readonly label: string;
}

/** An address at a provider, with the label of the provider. */
export interface ProviderAddress {
  readonly label: string;
  readonly url: URL;
}

/** The identity providers, for the pages of the core. The extension `providers` implements it. */
export interface SignInProviders {
  /** The enabled providers, in the order of the declarations. */
  buttons(): Promise<ProviderButton[]>;
  /** The enabled providers at which this user can renew a proof. */
  buttonsOf(userId: string): Promise<ProviderButton[]>;
  /** If `path` links an identity after the sign-in: this identity. Only for the browser that brought it. */
  findLinking(
    path: string | undefined,
    visitor: string | undefined,
  ): Promise<{ readonly provider: string; readonly email: string | null } | undefined>;
  /** The address that also ends the session at the provider. Undefined unless its declaration has `logout: true`. */
  findLogout(name: string, backTo: string): Promise<ProviderAddress | undefined>;
}
