// When the next beacon of an interface goes out: soon at the start, when somebody may wait for it; later seldom, and at
// times drawn by chance, so that nodes that started together do not speak together.

import { DISCOVERY_LIMITS } from './limits.ts';

/**
 * @param sentCount beacons sent so far on this interface.
 * @param random from 0 to below 1.
 */
export const pauseAfterBeaconMs = (sentCount: number, random: () => number): number => {
  const { quickBeacons, quickBeaconMs, beaconMsMin, beaconMsMax } = DISCOVERY_LIMITS;
  if (sentCount < quickBeacons) return quickBeaconMs;
  return beaconMsMin + random() * (beaconMsMax - beaconMsMin);
};
