// The arguments of a daemon of the network tests of probes, and what it reports.

import type { LinkProfile } from '../../src/core/link/link-profile.ts';
import type { GpuProfile } from '../../src/core/node/gpu-profile.ts';
import type { ProbeStatus } from '../../src/core/probe/probe-status.ts';

export interface ProbingSettings {
  readonly home: string;
  readonly keyFile: string;
  readonly name: string;
  /** Of a built page; none where the test looks at none. */
  readonly dashboardDir?: string;
  /** Default: any free one. */
  readonly httpPort?: number;
}

export interface SeenProbes {
  /** Of every node in its state, by name. */
  readonly links: readonly {
    readonly source: string;
    readonly sink: string;
    readonly profile: LinkProfile;
  }[];
  readonly statuses: readonly ProbeStatus[];
  readonly devices: readonly GpuProfile[];
  /** Servers of models, as their own nodes reach them: "juno http://127.0.0.1:8000". */
  readonly engines: readonly string[];
}
