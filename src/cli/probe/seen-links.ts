// The links of one moment, and whether a profile has come since. An answer tells ages only: what was measured when is known
// as closely as the question took, and "newer" is said where there is no doubt. Several connections are measured one after
// another, so that the first of them may be older now than the profile before was then.

import type { ProbedLink } from './probed-link.ts';

export interface SeenLinks {
  readonly links: readonly ProbedLink[];
  /** Monotonic, when they were asked for and when the answer was here. */
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}

/** Its profile was told after the one that `before` has, if that has one. */
export const isNewProfile = (connectionKey: string, now: SeenLinks, before: SeenLinks): boolean => {
  const ageMs = profileAgeMs(connectionKey, now);
  if (ageMs === undefined) return false;
  const heldAgeMs = profileAgeMs(connectionKey, before);
  return heldAgeMs === undefined || now.askedAtMs - ageMs > before.answeredAtMs - heldAgeMs;
};

const profileAgeMs = (connectionKey: string, { links }: SeenLinks): number | undefined => {
  const profile = links.find(link => link.connectionKey === connectionKey)?.profile;
  return profile !== undefined && 'value' in profile ? profile.ageMs : undefined;
};
