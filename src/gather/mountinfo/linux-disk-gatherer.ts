// Space on the volumes of a Linux machine. Local volumes are queried first, so a network file system that does not
// answer delays only itself; it is reported as a failure together with the volumes that did answer.

import type { DiskVolume } from '../../core/node/disk.ts';
import type { ReasonCode } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { isUnreadable, readFailed } from '../machine-files.ts';
import { poll } from '../poll.ts';
import { chooseVolumes, type Volume } from './choose-volumes.ts';
import { parseMountinfo } from './parse-mountinfo.ts';
import { type ReadSpace, statfsSpace, VolumeSpaces } from './volume-space.ts';

/** `readSpace` queries one volume, whose file system may never answer. */
export const linuxDiskGatherer = (
  { files, intervals, timeouts }: MachineAccess,
  readSpace: ReadSpace = statfsSpace,
): Gatherer => ({
  name: 'mountinfo-disk',
  reports: [DISK],
  intervalMs: intervals.diskMs,
  gather: async session => {
    const spaces = new VolumeSpaces(readSpace, {
      clock: session.clock,
      waitMs: timeouts.kernelMs,
    });
    await poll(session, intervals.diskMs, async signal => {
      const text = files.textNow('/proc/self/mountinfo');
      if (isUnreadable(text)) throw readFailed(text);
      const chosen = chooseVolumes(parseMountinfo(text));
      const volumes: DiskVolume[] = [];
      const failures: { readonly reason: string; readonly code?: ReasonCode }[] = [];
      const request = async (volume: Volume): Promise<void> => {
        const space = await spaces.read(volume, signal);
        if (space.kind === 'volume') volumes.push(space.volume);
        if (space.kind === 'failed') failures.push(space);
      };
      try {
        for (const volume of chosen.filter(({ isRemote }) => !isRemote)) await request(volume);
        for (const volume of chosen.filter(({ isRemote }) => isRemote)) await request(volume);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      volumes.sort((a, b) => (a.mountPoint < b.mountPoint ? -1 : 1));
      session.emit('mountinfo, statfs', { kind: 'disk', value: { volumes } });
      if (failures.length === 0) return;
      const reason = failures.map(failure => failure.reason).join('; ');
      const code = failures.find(failure => failure.code !== undefined)?.code;
      session.fail(DISK, 'statfs', reason.slice(0, REASON_LENGTH_MAX), code);
    });
  },
});

const REASON_LENGTH_MAX = 1_000;
const DISK: GatheredKind = { reading: 'disk', vendor: 'none' };
