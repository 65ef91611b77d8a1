// What a daemon publishes of the link between two nodes at one moment: what links-watch-process.ts prints twice a second.

/** One figure set of a path, in bits per second, from the first node to the second and back. */
export interface SeenFigures {
  readonly there?: number | undefined;
  readonly back?: number | undefined;
  /** Wall time of the measurement, ms. */
  readonly measuredAtMs?: number | undefined;
}

export interface SeenLost {
  readonly code: string;
  readonly reason: string;
  readonly lostAtMs: number;
  /** "down en5". */
  readonly deadEnds: readonly string[];
  readonly figures: SeenFigures;
}

export interface SeenLink {
  /** Wall time, ms. */
  readonly atMs: number;
  /** Of `/api/links`: open connections as "atlas 10.9.1.2", and each distinct set of figures that they have. */
  readonly open: readonly string[];
  readonly figures: readonly SeenFigures[];
  readonly lost: readonly SeenLost[];
  /** Of `/metrics`: the same, and each path as "en5–eth1 1". */
  readonly metrics: readonly SeenFigures[];
  readonly paths: readonly string[];
  readonly pathLostAtMs: readonly number[];
  /** Ids of all warnings. */
  readonly warnings: readonly string[];
  /** Why probes between the two wait, and the interval of the newest profile in ms. */
  readonly waits: readonly string[];
  readonly intervalsMs: readonly number[];
}

export interface WatchedPair {
  readonly home: string;
  /** Names of the nodes. */
  readonly first: string;
  readonly second: string;
}
