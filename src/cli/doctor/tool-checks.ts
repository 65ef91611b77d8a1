// Foreign tools that readings come from: which are on PATH, and what each would add.

import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { errorCode } from '../../core/problem.ts';
import type { ProcessState } from '../process-state.ts';
import type { Check } from './check.ts';

/** A tool that is missing is worth a note only: much of it is for hardware that this machine may not have. */
export const toolChecks = async (state: ProcessState): Promise<readonly Check[]> =>
  Promise.all(
    TOOLS.filter(({ platforms }) => platforms.includes(state.platform)).map(
      async ({ name, adds, install }): Promise<Check> => {
        const path = await findOnPath(name, state);
        return path === undefined
          ? { section: 'tools', verdict: 'note', text: `${name} is not on PATH: ${adds}`, advice: install }
          : { section: 'tools', verdict: 'ok', text: `${path}: ${adds}`, advice: '' };
      },
    ),
  );

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
