// What a person may set that changes what gatherers tell. Handed over as a function, so that a reload of the
// configuration takes effect at the next reading.

export interface GatherSettings {
  /** Replaces the machine's own name. */
  readonly name: string | undefined;
  /** Interfaces to leave alone, by their exact names. */
  readonly ignoredInterfaces: readonly string[];
}
