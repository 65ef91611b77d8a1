// `df -kP` and `mount` on macOS: how full a volume is, and which there are.

import { toolLines } from '../tool-output.ts';

interface DfVolume {
  readonly mountPoint: string;
  readonly totalBytes: number;
  readonly availableBytes: number;
}

/**
 * A header, then device, 1024-byte blocks, used, available, capacity and mount point. Device and mount point may hold
 * spaces; the four figures between them do not.
 */
export const parseDf = (text: string): readonly DfVolume[] => {
  const volumes: DfVolume[] = [];
  for (const line of toolLines(text)) {
    const match = /^\S.*?\s+(\d{1,15})\s+(\d{1,15})\s+(-?\d{1,15})\s+\d{1,4}%\s+(\/.{0,1000}?)\s*$/.exec(
      line,
    );
    if (match?.[4] === undefined) continue;
    const totalBytes = Number(match[1]) * 1024;
    // Negative when only the system's reserve is left.
    const availableBytes = Math.max(0, Number(match[3])) * 1024;
    if (!Number.isSafeInteger(totalBytes) || !Number.isSafeInteger(availableBytes)) continue;
    volumes.push({ mountPoint: match[4], totalBytes, availableBytes });
  }
  return volumes;
};

export interface MacosMount {
  readonly device: string;
  readonly mountPoint: string;
  readonly fileSystem: string;
  readonly isLocal: boolean;
}

/**
 * "/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)": the tool queries no file system, so a dead network
 * share does not block it. Lists volumes on which a person keeps files: macOS's other own volumes and disk images are
 * left out.
 */
export const parseMounts = (text: string): readonly MacosMount[] => {
  const mounts: MacosMount[] = [];
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
