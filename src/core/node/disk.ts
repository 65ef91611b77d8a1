// Mounted volumes on which a person may store models, in bytes. Pseudo file systems are left out.

import { bytes, type Infer, list, openObject, reported, text } from '../schema.ts';

const diskVolumeSchema = openObject({
  mountPoint: text,
  device: text,
  fileSystem: reported(text),
  totalBytes: bytes,
  /** Available to an unprivileged program. */
  availableBytes: bytes,
});

export type DiskVolume = Infer<typeof diskVolumeSchema>;

export const nodeDiskSchema = openObject({ volumes: list(diskVolumeSchema) });

export type NodeDisk = Infer<typeof nodeDiskSchema>;
