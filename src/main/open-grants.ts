import type { ExtensionGrants } from '../oauth/oauth.ts';
import { lazy } from '../platform/lazy.ts';

const loadRedemption = lazy(() => import('../../extensions/device-authorization/redeem-device-code.ts'));
const loadExchange = lazy(() => import('../../extensions/token-exchange/exchange-token.ts'));

/** The first request with one of these grants loads its extension. */
export const extensionGrants: ExtensionGrants = {
  redeemDeviceCode: async (oauth, request) => (await loadRedemption()).redeemDeviceCode(oauth, request),
  exchangeToken: async (oauth, request) => (await loadExchange()).exchangeToken(oauth, request),
};
