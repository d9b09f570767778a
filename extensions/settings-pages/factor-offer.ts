import { findUser } from '../../src/identity/accounts/user-store.ts';
import { countHeldFactors, hasSecondFactor } from '../../src/identity/factors/factor-count-store.ts';
import { creationOptions } from '../../src/identity/factors/passkeys.ts';
import type { Page, PageRequest } from '../../src/pages/kit/page-request.ts';
import type { Variables } from '../../src/pages/kit/views.ts';
import { userIdOf } from '../../src/platform/caller.ts';

/** The time after a password login in which the browser may create a passkey automatically. */
const maxLoginAgeMs = 120_000;

/**
 * Offers a second factor to users without one, unless they postponed it. Directly after a password login, the browser may create a passkey.
 */
export async function offerFactor(pageRequest: PageRequest): Promise<Variables> {
  const { caller } = pageRequest.request;
  const { db } = pageRequest.kit.database;
  const user = pageRequest.kit.config.mfa === 'off' ? undefined : await findUser(db, userIdOf(caller));
  const factors = user && (await countHeldFactors(db, user.id));
  if (!user || !factors || hasSecondFactor(factors)) return {};
  const { time, amr } = caller.proof;
  const byPassword =
    amr.length === 1 && amr[0] === 'pwd' && time !== null && pageRequest.kit.now() - time < maxLoginAgeMs;
  const automatic = byPassword && factors.automaticPasskeys === 0;
  return {
    offer: pageRequest.kit.cookies.read(pageRequest.request).later === undefined,
    automatic: automatic ? JSON.stringify(await creationOptions(pageRequest.kit.oauth, user, 'automatic')) : undefined,
  };
}

/** Postpones the offer in this browser. */
export function postponeOffer(pageRequest: PageRequest): Page {
  pageRequest.kit.cookies.setFactorOfferPostponed(pageRequest.reply);
  return pageRequest.redirect('/settings');
}
