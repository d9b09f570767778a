import type { FastifyReply } from 'fastify';
import { findUser } from '../../identity/accounts/user-store.ts';
import { findHeldFactors, hasSecondFactor } from '../../identity/factors/held-factor-store.ts';
import { creationOptions, type PasskeyServices } from '../../identity/factors/passkeys.ts';
import { userIdOf } from '../../platform/caller.ts';
import type { Variables } from '../kit/views.ts';
import type { Visit } from '../kit/visit.ts';

/** The time after a password login in which the browser may create a passkey automatically. */
const directly = 120_000;

/**
 * Offers a second factor to users without one, unless they postponed it. Directly after a password login, the browser
 * may create a passkey.
 */
export async function offerFactor(visit: Visit, services: PasskeyServices): Promise<Variables> {
  const { caller } = visit.request;
  const { db } = visit.kit.database;
  const user = visit.kit.config.mfa === 'off' ? undefined : await findUser(db, userIdOf(caller));
  const held = user && (await findHeldFactors(db, user.id));
  if (!user || !held || hasSecondFactor(held)) return {};
  const { time, amr } = caller.proof;
  const byPassword = amr.length === 1 && amr[0] === 'pwd' && time !== null && visit.kit.now() - time < directly;
  const automatic = byPassword && held.automaticPasskeys === 0;
  return {
    offer: visit.kit.cookies.read(visit.request).later === undefined,
    automatic: automatic ? JSON.stringify(await creationOptions(services, user, 'automatic')) : undefined,
  };
}

/** Postpones the offer in this browser. */
export function postponeOffer(visit: Visit): Promise<FastifyReply> {
  visit.kit.cookies.setFactorOfferPostponed(visit.reply);
  return visit.redirect('/settings');
}
