// How loaded a machine is drawn: the water in its hull or in each bay, and the draught next to it.

interface Bay {
  /** 0..1; undefined where it is not known. */
  readonly level: number | undefined;
  /** A probe runs on it. */
  readonly isMeasured: boolean;
}

export interface DrawnLoad {
  /** Memory in use, 0..1: of the machine, or of its GPUs where they have their own. */
  readonly level: number | undefined;
  /** The host's own memory, for a machine drawn with bays. */
  readonly hostLevel: number | undefined;
  /** One a GPU with memory of its own. */
  readonly bays: readonly Bay[];
  /** GPU use, 0..1. */
  readonly use: number | undefined;
  /** A probe runs on the machine itself or on a GPU that shares its memory. */
  readonly isMeasured: boolean;
}

export const BAYS_MAX = 8;
