// Space on the volumes of a Linux machine. Local volumes are asked first, so that a network file system that does not
// answer delays nothing but itself; it is told as a failure beside the volumes that did answer.

import type { DiskVolume } from '../../core/node/disk.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import { isUnreadable, type MachineFiles } from '../machine-files.ts';
import { poll } from '../poll.ts';
import { chooseVolumes, type Volume } from './choose-volumes.ts';
import { parseMountinfo } from './parse-mountinfo.ts';
import { type AskSpace, VolumeSpaces } from './volume-space.ts';

export interface LinuxDiskOptions {
  readonly files: MachineFiles;
  readonly intervalMs: number;
  readonly askSpace: AskSpace;
  /** For one volume. */
  readonly waitMs: number;
}

export const linuxDiskGatherer = ({ files, intervalMs, askSpace, waitMs }: LinuxDiskOptions): Gatherer => ({
  name: 'mountinfo-disk',
  tells: [DISK],
  intervalMs,
  gather: async session => {
    const spaces = new VolumeSpaces(askSpace, { clock: session.clock, waitMs });
    await poll(session, intervalMs, async signal => {
      const text = files.textNow('/proc/self/mountinfo');
      if (isUnreadable(text)) throw new Error(text.reason);
      const chosen = chooseVolumes(parseMountinfo(text));
      const volumes: DiskVolume[] = [];
      const reasons: string[] = [];
      const ask = async (volume: Volume): Promise<void> => {
        const space = await spaces.read(volume, signal);
        if (space.kind === 'volume') volumes.push(space.volume);
        if (space.kind === 'failed') reasons.push(space.reason);
      };
      try {
        for (const volume of chosen.filter(({ isRemote }) => !isRemote)) await ask(volume);
        for (const volume of chosen.filter(({ isRemote }) => isRemote)) await ask(volume);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      volumes.sort((a, b) => (a.mountPoint < b.mountPoint ? -1 : 1));
      session.emit('mountinfo, statfs', { kind: 'disk', value: { volumes } });
      if (reasons.length > 0) session.fail(DISK, 'statfs', reasons.join('; ').slice(0, REASON_LENGTH_MAX));
    });
  },
});

const REASON_LENGTH_MAX = 1_000;
const DISK: GatheredKind = { reading: 'disk', vendor: 'none' };
