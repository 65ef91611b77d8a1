// When simulated machines are away (asleep, without power, or stopped) and when other faults last. Pure, periodic functions
// of time, so a late viewer of the demo sees them too.

/** From `fromSeconds` (since the simulation began; below 0 it has begun already) for `seconds`, again every `everySeconds`. */
export interface Spell {
  readonly fromSeconds: number;
  readonly seconds: number;
  readonly everySeconds: number;
}

export interface Absence extends Spell {
  /** By its index in the list of machines. */
  readonly machine: number;
  /** Its daemon is stopped by a person and announces it; else the machine is silent at once. */
  readonly isOrderly?: true;
}

/** From then on, without an end. */
export const lasting = (fromSeconds: number): Spell => ({
  fromSeconds,
  seconds: Number.POSITIVE_INFINITY,
  everySeconds: Number.POSITIVE_INFINITY,
});

/** The absence of a machine at this moment; undefined if it is there. */
export const absenceAt = (
  absences: readonly Absence[],
  machine: number,
  atSeconds: number,
): Absence | undefined =>
  absences.find(absence => absence.machine === machine && isDuring(absence, atSeconds));

/** Whether a machine is silent at this moment. */
export const isAway = (absences: readonly Absence[], machine: number, atSeconds: number): boolean =>
  absenceAt(absences, machine, atSeconds) !== undefined;

export const isDuring = (spell: Spell, atSeconds: number): boolean =>
  atSeconds >= spell.fromSeconds && intoSeconds(spell, atSeconds) < spell.seconds;

/** Since it last began, or since it last would have. */
export const intoSeconds = ({ fromSeconds, everySeconds }: Spell, atSeconds: number): number =>
  (atSeconds - fromSeconds) % everySeconds;

/** When it was last over, before `atSeconds`; undefined if it never was. */
export const lastEndOf = (
  { fromSeconds, seconds, everySeconds }: Spell,
  atSeconds: number,
): number | undefined => {
  const firstSeconds = fromSeconds + seconds;
  if (atSeconds < firstSeconds) return undefined;
  return firstSeconds + Math.floor((atSeconds - firstSeconds) / everySeconds) * everySeconds;
};
