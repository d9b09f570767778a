/** The module `gatehouse-server/providers`, for files that declare a provider. */
export {
  type Claims,
  defineProvider,
  type GetJson,
  type MappedUser,
  type ProviderDefinition,
} from './declaration/define-provider.ts';
