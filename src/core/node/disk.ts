// Mounted volumes on which a person may store models, in bytes. Pseudo file systems are left out.

import { bytes, type Infer, list, openObject, reported, text } from '../schema.ts';
import type { Reported } from '../unknown.ts';

export const nodeDiskSchema = openObject({
  volumes: list(
    openObject({
      mountPoint: text,
      device: text,
      fileSystem: reported(text),
      totalBytes: bytes,
      availableBytes: bytes,
    }),
  ),
});

export type NodeDisk = Infer<typeof nodeDiskSchema>;

export interface DiskVolume {
  readonly mountPoint: string;
  readonly device: string;
  readonly fileSystem: Reported<string>;
  readonly totalBytes: number;
  /** Available to an unprivileged program. */
  readonly availableBytes: number;
}
