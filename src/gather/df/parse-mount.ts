// `mount` on macOS: "/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)". It asks no file system, so a dead
// network share does not hold it up.

import { toolLines } from '../tool-lines.ts';

export interface Mount {
  readonly device: string;
  readonly mountPoint: string;
  readonly fileSystem: string;
  readonly isLocal: boolean;
}

/** The volumes on which a person keeps files: the rest of macOS's own volumes and disk images are left out. */
export const parseMounts = (text: string): readonly Mount[] => {
  const mounts: Mount[] = [];
  for (const line of toolLines(text)) {
    const match = /^(\S.{0,500}?) on (\/.{0,1000}) \(([^()]{1,500})\)\s*$/.exec(line);
    const [, device, mountPoint, options] = match ?? [];
    if (device === undefined || mountPoint === undefined || options === undefined) continue;
    const [fileSystem = '', ...flags] = options.split(',').map(option => option.trim());
    const isOwn = SYSTEM_FILE_SYSTEMS.has(fileSystem) || isSystemVolume(mountPoint);
    // The root is sealed and read-only, yet its free space is that of the whole disk.
    const isHidden = flags.includes('read-only') || flags.includes('nobrowse');
    if (mountPoint !== '/' && (isOwn || isHidden)) continue;
    // A share's device may begin with a person's name: //person@server/share.
    mounts.push({
      device: device.replace(/^\/\/[^@/]*@/, '//'),
      mountPoint,
      fileSystem,
      isLocal: flags.includes('local'),
    });
    if (mounts.length >= MOUNTS_MAX) break;
  }
  return mounts;
};

const isSystemVolume = (mountPoint: string): boolean =>
  mountPoint.startsWith('/System/') || mountPoint.startsWith('/private/') || mountPoint.startsWith('/dev');

const SYSTEM_FILE_SYSTEMS: ReadonlySet<string> = new Set(['devfs', 'autofs', 'nullfs', 'synthfs']);
const MOUNTS_MAX = 64;
