// Mounted volumes on which a person may store models, in bytes. Pseudo file systems are left out.

import type { Reported } from '../unknown.ts';

export interface NodeDisk {
  readonly volumes: readonly DiskVolume[];
}

export interface DiskVolume {
  readonly mountPoint: string;
  readonly device: string;
  readonly fileSystem: Reported<string>;
  readonly totalBytes: number;
  /** Available to an unprivileged program. */
  readonly availableBytes: number;
}
