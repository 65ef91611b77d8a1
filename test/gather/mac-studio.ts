// A whole Mac Studio made of stand-in tools that all answer, and its gatherers at the pace of a test. A test that needs few
// readings names them: each gatherer starts processes.

import type { ReadingKind } from '../../src/core/node/reading.ts';
import type { MachineAccessOptions } from '../../src/gather/machine-access.ts';
import { platformSources } from '../../src/gather/platform-gatherers.ts';
import { fixture } from '../support/fixture.ts';
import { type GathererRun, runForTest } from './gatherer-run.ts';
import { macForTest } from './machine-for-test.ts';
import { type StandInTools, standInTools } from './stand-in-tools.ts';

export const FAST = {
  systemMs: 50,
  memoryGaugeMs: 100,
  thunderboltMs: 100,
  bridgeMs: 200,
  networkMs: 100,
  rdmaMs: 100,
  diskMs: 100,
  identityMs: 200,
};

/** All gatherers without `kinds`; otherwise those that report one of them. */
export const startMac = (
  tools: StandInTools,
  over: Partial<MachineAccessOptions> = {},
  kinds?: readonly ReadingKind[],
): GathererRun => {
  const gatherers = platformSources('darwin', macForTest(tools, { intervals: FAST, ...over }));
  return runForTest(
    gatherers.filter(
      ({ reports }) => kinds === undefined || reports.some(({ reading }) => kinds.includes(reading)),
    ),
  );
};

/** Each source is read once in a test. */
export const ONCE: Readonly<Record<keyof typeof FAST, number>> = {
  systemMs: 600_000,
  memoryGaugeMs: 600_000,
  thunderboltMs: 600_000,
  bridgeMs: 600_000,
  networkMs: 600_000,
  rdmaMs: 600_000,
  diskMs: 600_000,
  identityMs: 600_000,
};

export const macStudio = (): StandInTools => {
  const tools = standInTools();
  tools.prints('thunderbolt', fixture('system_profiler-thunderbolt/m3-ultra-mac-studio.json'));
  tools.prints('hardware', fixture('system_profiler-hardware/m3-ultra-mac-studio.json'));
  tools.prints('displays', fixture('system_profiler-displays/m3-ultra-mac-studio.json'));
  tools.script(
    'system_profiler',
    `case $1 in
SPThunderboltDataType) cat "$HERE/thunderbolt.out";;
SPHardwareDataType) cat "$HERE/hardware.out";;
SPDisplaysDataType) cat "$HERE/displays.out";;
*) exit 64;;
esac`,
  );
  tools.prints('ports', fixture('networksetup/m3-ultra-mac-studio-ports.txt'));
  tools.prints('order', fixture('networksetup/service-order-bridge-disabled.txt'));
  tools.script(
    'networksetup',
    'case $1 in -listallhardwareports) cat "$HERE/ports.out";; -listnetworkserviceorder) cat "$HERE/order.out";; esac',
  );
  tools.prints('host', fixture('sysctl/m3-ultra-mac-studio.txt'));
  tools.prints('memory', fixture('sysctl/memory-swapping.txt'));
  tools.script('sysctl', 'case $2 in vm.*) cat "$HERE/memory.out";; *) cat "$HERE/host.out";; esac');
  tools.script('scutil', 'if [ "$1" = --get ]; then echo "Lena’s Mac Studio"; else exec cat; fi');
  tools.script(
    'macmon',
    `while :; do echo '${fixture('macmon/v0.8.2-m3-ultra.txt').trim()}'; sleep 0.05; done`,
  );
  tools.prints('local', fixture('df/m3-ultra-mac-studio-local.txt'));
  tools.prints('share', fixture('df/m3-ultra-mac-studio-share.txt'));
  tools.script('df', 'case "$2" in /Volumes/big) cat "$HERE/share.out";; *) cat "$HERE/local.out";; esac');
  tools.prints('mount', fixture('mount/m3-ultra-mac-studio.txt'));
  tools.prints('ifconfig', fixture('ifconfig/m3-ultra-mac-studio.txt'));
  tools.prints('netstat', fixture('netstat/macbook.txt'));
  tools.prints('sw_vers', fixture('sw_vers/macos-27.txt'));
  tools.prints('rdma_ctl', 'enabled\n');
  tools.prints('ibv_devices', fixture('ibv_devices/m3-ultra-mac-studio.txt'));
  tools.prints('ibv_devinfo', fixture('ibv_devinfo/m3-ultra-mac-studio.txt'));
  return tools;
};
