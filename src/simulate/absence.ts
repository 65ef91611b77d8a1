// When simulated machines are away: asleep, without power, or cut off. A pure, periodic function of time, so a late
// viewer of the demo sees it too.

/** From `fromSeconds` (since the simulation began; below 0 it is away already) for `seconds`, again every `everySeconds`. */
export interface Absence {
  /** By its place in the list of machines. */
  readonly machine: number;
  readonly fromSeconds: number;
  readonly seconds: number;
  readonly everySeconds: number;
}

/** Whether a machine is silent at this moment. */
export const isAway = (absences: readonly Absence[], machine: number, atSeconds: number): boolean =>
  absences.some(absence => absence.machine === machine && isWithin(absence, atSeconds));

/** When the machine came back last, before `atSeconds`; undefined if it was never away. */
export const backSince = (
  absences: readonly Absence[],
  machine: number,
  atSeconds: number,
): number | undefined => {
  const returns = absences
    .filter(absence => absence.machine === machine)
    .flatMap(({ fromSeconds, seconds, everySeconds }) => {
      const firstSeconds = fromSeconds + seconds;
      if (atSeconds < firstSeconds) return [];
      return [firstSeconds + Math.floor((atSeconds - firstSeconds) / everySeconds) * everySeconds];
    });
  return returns.length === 0 ? undefined : Math.max(...returns);
};

const isWithin = ({ fromSeconds, seconds, everySeconds }: Absence, atSeconds: number): boolean => {
  const since = atSeconds - fromSeconds;
  return since >= 0 && since % everySeconds < seconds;
};
