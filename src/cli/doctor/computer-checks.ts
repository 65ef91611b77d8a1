// This computer: Node, its clock, and the foreign tools that readings come from.

import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Clock } from '../../clock/clock.ts';
import { errorCode } from '../../core/problem.ts';
import type { ProcessState } from '../process-state.ts';
import { type Check, checksOf } from './check.ts';

const computer = checksOf('this computer');
const tools = checksOf('tools');

export const computerChecks = (state: ProcessState, clock: Clock): readonly Check[] => [
  nodeCheck(state),
  clockCheck(clock),
];

/** A tool that is missing is worth a note only: much of it is for hardware that this machine may not have. */
export const toolChecks = async (state: ProcessState): Promise<readonly Check[]> =>
  Promise.all(
    TOOLS.filter(({ platforms }) => platforms.includes(state.platform)).map(
      async ({ name, adds, install }) => {
        const path = await findOnPath(name, state);
        return path === undefined
          ? tools('note', `${name} is not on PATH: ${adds}`, install)
          : tools('ok', `${path}: ${adds}`);
      },
    ),
  );

const nodeCheck = ({ nodeVersion, platform }: ProcessState): Check => {
  const text = `Node ${nodeVersion} on ${platform}`;
  return Number(nodeVersion.split('.')[0]) >= NODE_MAJOR_MIN
    ? computer('ok', text)
    : computer('problem', text, `Install Node ${NODE_MAJOR_MIN} or newer from https://nodejs.org.`);
};

/** Journals keep wall time: a clock that was never set makes their history useless. */
const clockCheck = (clock: Clock): Check => {
  const now = new Date(clock.wallMs());
  const text = `the clock says ${now.toISOString()}`;
  return now.getTime() > RELEASED_MS
    ? computer('ok', text)
    : computer('problem', text, 'Set the clock: it shows a time before this version was made.');
};

const findOnPath = async (name: string, { env }: ProcessState): Promise<string | undefined> => {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
  }
  return undefined;
};

interface Tool {
  readonly name: string;
  readonly platforms: readonly string[];
  readonly adds: string;
  readonly install: string;
}

const TOOLS: readonly Tool[] = [
  {
    name: 'ip',
    platforms: ['linux'],
    adds: 'network changes at once, and addresses with their scope',
    install: 'Install iproute2, for example: sudo apt install iproute2',
  },
  {
    name: 'nvidia-smi',
    platforms: ['linux', 'win32'],
    adds: 'NVIDIA GPUs',
    install: 'It comes with the NVIDIA driver; needed only where there is such a GPU.',
  },
  {
    name: 'amd-smi',
    platforms: ['linux'],
    adds: 'AMD GPUs: names, limits and partitions that sysfs does not have',
    install: 'It comes with ROCm; needed only where there is such a GPU.',
  },
  {
    name: 'ib_write_bw',
    platforms: ['linux'],
    adds: 'RDMA links measured with perftest, if the other end has it too',
    install: 'Install perftest, for example: sudo apt install perftest; needed only where there is RDMA.',
  },
  {
    name: 'ucx_perftest',
    platforms: ['linux'],
    adds: 'RDMA links measured with UCX, if the other end has it too',
    install:
      'Install UCX, for example: sudo apt install ucx-utils; on RDMA hardware, perftest measures more.',
  },
  {
    name: 'macmon',
    platforms: ['darwin'],
    adds: 'GPU use, temperatures and power of Apple silicon',
    install: 'Run: brew install macmon',
  },
  {
    name: 'system_profiler',
    platforms: ['darwin'],
    adds: 'model, chip, GPUs and Thunderbolt ports',
    install: 'It is part of macOS, in /usr/sbin: put that on PATH.',
  },
  {
    name: 'scutil',
    platforms: ['darwin'],
    adds: 'the computer name, and network changes at once',
    install: 'It is part of macOS, in /usr/sbin: put that on PATH.',
  },
  {
    name: 'networksetup',
    platforms: ['darwin'],
    adds: 'which interface is Wi-Fi, Ethernet or Thunderbolt',
    install: 'It is part of macOS, in /usr/sbin: put that on PATH.',
  },
  {
    name: 'ibv_devinfo',
    platforms: ['darwin'],
    adds: 'RDMA devices and their ports',
    install: 'It is part of macOS 26.2 and newer; older versions have no RDMA over Thunderbolt.',
  },
  {
    name: 'rdma_ctl',
    platforms: ['darwin'],
    adds: 'whether RDMA over Thunderbolt is switched on',
    install: 'It is part of macOS 26.2 and newer; older versions have no RDMA over Thunderbolt.',
  },
  {
    name: 'python3',
    platforms: ['darwin'],
    adds: 'RDMA links measured with MLX, if it has MLX here and at the other end',
    install: 'Run: brew install python, then python3 -m pip install mlx',
  },
];

const NODE_MAJOR_MIN = 24;
const RELEASED_MS = Date.UTC(2026, 0, 1);
