// What else the machine of the client did while a run measured, in figures: the sentences about it stand in the notices.

import type { Reported } from '../unknown.ts';

export type MachineDuringRun = {
  /** In processors, of all other programs, the server among them where it runs here. */
  readonly otherLoad: Reported<number>;
  /** Pages in and out. */
  readonly swappedPages: Reported<number>;
  /** Share of the time in which some task waited for memory (PSI). */
  readonly memoryWaitShare: Reported<number>;
  /** Share of the TCP segments that were sent again, of all connections of the machine. */
  readonly retransmittedShare: Reported<number>;
  /** Received and dropped, of all interfaces but loopback. */
  readonly droppedPackets: Reported<number>;
  /** Times that heat throttled the first package. */
  readonly heatThrottles: Reported<number>;
  /** Of the frequency: "performance". */
  readonly governor: Reported<string>;
  /** The target is this machine's loopback: client and server share its processors. */
  readonly sharesProcessors: boolean;
};
