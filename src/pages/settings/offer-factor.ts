import type { FastifyReply, FastifyRequest } from 'fastify';
import { findUser } from '../../identity/accounts/user-store.ts';
import { findHeldFactors, hasSecondFactor } from '../../identity/factors/held-factor-store.ts';
import { creationOptions, type PasskeyMeans } from '../../identity/factors/passkeys.ts';
import { userIdOf } from '../../platform/caller.ts';
import type { PageKit } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';

/** How long after a password login the browser may make a passkey by itself. */
const directly = 120_000;

/** For whoever has no second factor yet: an offer, until it is put off; directly after a password login a passkey by the browser itself. */
export async function offerFactor(kit: PageKit, means: PasskeyMeans, request: FastifyRequest): Promise<Variables> {
  const { caller } = request;
  const { db } = kit.database;
  const user = kit.config.mfa === 'off' ? undefined : await findUser(db, userIdOf(caller));
  const held = user && (await findHeldFactors(db, user.id));
  if (!user || !held || hasSecondFactor(held)) return {};
  const { time, amr } = caller.proof;
  const byPassword = amr.length === 1 && amr[0] === 'pwd' && time !== null && kit.now() - time < directly;
  const automatic = byPassword && held.automaticPasskeys === 0;
  return {
    offer: kit.cookies.read(request).later === undefined,
    automatic: automatic ? JSON.stringify(await creationOptions(means, user, 'automatic')) : undefined,
  };
}

/** Puts the offer off on this browser. */
export function postponeOffer(kit: PageKit, reply: FastifyReply): Promise<FastifyReply> {
  kit.cookies.setLater(reply);
  return kit.go(reply, '/settings');
}
