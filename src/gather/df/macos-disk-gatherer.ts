// Volumes of a Mac: `mount` lists them, `df` reports how full they are. Network volumes are queried one by one, so a
// missing server affects only its own line.

import type { DiskVolume } from '../../core/node/disk.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { type ToolContext, toolText, type Unanswered } from '../tool-output.ts';
import { type MacosMount, parseDf, parseMounts } from './parse-df.ts';

export const macosDiskGatherer = ({ tools, intervals, timeouts }: MachineAccess): Gatherer => ({
  name: 'df',
  reports: [DISK],
  intervalMs: intervals.diskMs,
  gather: session =>
    poll(session, intervals.diskMs, async signal => {
      const context = { tools, signal, timeoutMs: timeouts.toolMs };
      const text = await toolText('mount', [], context);
      if (text.kind === 'unanswered') {
        session.fail(DISK, 'mount', text.reason, text.code);
        return;
      }
      const mounts = parseMounts(text.value);
      const local = mounts.filter(mount => mount.isLocal);
      const remote = mounts.filter(mount => !mount.isLocal).slice(0, REMOTE_MAX);
      const groups = [...(local.length > 0 ? [local] : []), ...remote.map(mount => [mount])];
      const answers = await Promise.all(groups.map(group => runDf(group, context)));
      const volumes = answers.flatMap(answer => answer.volumes);
      const failure = answers.find(answer => answer.failure !== undefined)?.failure;
      if (volumes.length > 0) session.emit('df', { kind: 'disk', value: { volumes } });
      else session.fail(DISK, 'df', failure?.reason ?? 'no volume is mounted', failure?.code);
    }),
});

const runDf = async (
  mounts: readonly MacosMount[],
  context: ToolContext,
): Promise<{ readonly volumes: readonly DiskVolume[]; readonly failure?: Unanswered }> => {
  const text = await toolText('df', ['-kP', ...mounts.map(mount => mount.mountPoint)], {
    ...context,
    timeoutMs: Math.min(context.timeoutMs, DF_TIMEOUT_MS),
  });
  if (text.kind === 'unanswered') return { volumes: [], failure: text };
  const filled = new Map(parseDf(text.value).map(volume => [volume.mountPoint, volume]));
  const volumes = mounts.flatMap(({ mountPoint, device, fileSystem }): readonly DiskVolume[] => {
    const volume = filled.get(mountPoint);
    return volume === undefined ? [] : [{ ...volume, device, fileSystem }];
  });
  return { volumes };
};

const DISK: GatheredKind = { reading: 'disk', vendor: 'none' };
const REMOTE_MAX = 8;
const DF_TIMEOUT_MS = 5_000;
