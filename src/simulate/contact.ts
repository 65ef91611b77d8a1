// Since when one simulated machine has contact with another: connections open, close and are measured by it.

import type { Absence } from './absence.ts';
import { backSince, isAway } from './absence.ts';
import type { Site } from './site.ts';

/** Seconds since the simulation began; -Infinity: since long before; undefined: no contact. */
export type ContactSince = (atSeconds: number) => number | undefined;

export const contactBetween = (absences: readonly Absence[], source: Site, sink: Site): ContactSince => {
  const joined = [source, sink].some(({ machine }) => machine.quirks?.isUnmeasured === true) ? 0 : LONG_AGO;
  const ofSource = absences.filter(({ machine }) => machine === source.index);
  const ofSink = absences.filter(({ machine }) => machine === sink.index).map(noticed);
  // Most machines are always up.
  if (ofSource.length + ofSink.length === 0) return () => joined;
  return atSeconds =>
    isAway(ofSink, sink.index, atSeconds)
      ? undefined
      : Math.max(
          joined,
          backSince(ofSource, source.index, atSeconds) ?? LONG_AGO,
          backSince(ofSink, sink.index, atSeconds) ?? LONG_AGO,
        );
};

/** Reachability is checked about every 10 s, so changes are not noticed at once. */
const noticed = (absence: Absence): Absence => ({
  ...absence,
  fromSeconds: absence.fromSeconds + LOST_SECONDS,
  seconds: absence.seconds - LOST_SECONDS + FOUND_SECONDS,
});

const LONG_AGO = Number.NEGATIVE_INFINITY;
const LOST_SECONDS = 12;
const FOUND_SECONDS = 4;
