// RDMA over Thunderbolt on a Mac: whether it is switched on (`rdma_ctl`, macOS 26.2 and later), and its devices. A port
// is active only when both ends of its cable have RDMA on.

import type { RdmaDevice } from '../../core/node/rdma-devices.ts';
import { unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MacosOptions } from '../macos-options.ts';
import { poll } from '../poll.ts';
import type { RememberedRead } from '../remembered-read.ts';
import { toolText } from '../tool-text.ts';
import { parseRdmaCtlStatus } from './parse-rdma-ctl.ts';

export const macosRdmaGatherer = (
  { env, intervals, timeouts }: MacosOptions,
  rdmaDevices: RememberedRead<readonly RdmaDevice[]>,
): Gatherer => ({
  name: 'rdma-ctl',
  tells: [RDMA],
  intervalMs: intervals.rdmaMs,
  gather: session =>
    poll(session, intervals.rdmaMs, async signal => {
      const [status, devices] = await Promise.all([
        toolText('rdma_ctl', ['status'], { env, signal, timeoutMs: timeouts.toolMs }),
        rdmaDevices.get({ clock: session.clock, signal, ageMsMax: intervals.rdmaMs / 2 }),
      ]);
      const isEnabled = status.kind === 'parsed' ? parseRdmaCtlStatus(status.value) : unknown(status.reason);
      // With RDMA off, or on a system older than RDMA, there is nothing to list, and that is no failure.
      if (devices.kind === 'unreadable' && isEnabled === true) {
        session.fail(RDMA, 'ibv_devinfo', devices.reason);
        return;
      }
      const listed = devices.kind === 'parsed' ? devices.value : [];
      session.emit('rdma_ctl', { kind: 'rdmaDevices', value: { isEnabled, devices: listed } });
    }),
});

const RDMA: GatheredKind = { reading: 'rdmaDevices', vendor: 'none' };
