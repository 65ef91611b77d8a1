// A machine's identity: properties that do not change while it runs. Durable, so an offline node keeps its
// name and model.

import type { Reported } from '../unknown.ts';

export interface NodeIdentity {
  /** The name a person gave it: config `name`, else the computer name, else the host name. */
  readonly friendlyName: string;
  readonly hostName: string;
  /** "Mac Studio", "DGX Spark", "Supermicro AS-4125GS". */
  readonly model: Reported<string>;
  /** Processor or system on chip: "Apple M3 Ultra", "AMD EPYC 9354 32-Core Processor". */
  readonly chip: Reported<string>;
  readonly architecture: string;
  /** Logical processors that the operating system schedules on. */
  readonly cpuCount: Reported<number>;
  readonly operatingSystem: {
    readonly platform: 'linux' | 'macos' | 'windows' | 'other';
    /** "Debian GNU/Linux 12 (bookworm)", "macOS". */
    readonly name: string;
    readonly version: Reported<string>;
    /** macOS build ("25C56") or Linux kernel release. */
    readonly build: Reported<string>;
  };
  /**
   * Whether CPU and GPU share one memory (Apple silicon, GB10); false if GPUs have their own, or there are
   * none.
   */
  readonly memoryIsUnified: Reported<boolean>;
  /** "kvm", "docker", "none". */
  readonly virtualisation: Reported<string>;
  readonly plimsollVersion: string;
  /** Simulated by the demo or a test; every view shows that. */
  readonly isSimulated: boolean;
}
