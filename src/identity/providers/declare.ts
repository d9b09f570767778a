/** What a file that declares a provider imports, as `gatehouse-server/providers`. */
export {
  type Claims,
  defineProvider,
  type GetJson,
  type MappedUser,
  type ProviderDefinition,
} from './define-provider.ts';
