// The container of this process: its limits, and what Kubernetes reports about it. A process without limits that is not in a pod
// has nothing to report.

import type { MachineLabel, NodeContainer } from '../../core/node/container.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { digitsIn, type MachineFiles, textOr } from '../machine-files.ts';
import { poll } from '../poll.ts';
import { readCpuLimit, readMemoryLimit } from '../procfs/cpu-limit.ts';
import { fetchLabels, mayFetchLabels } from './machine-labels.ts';
import { isInPod, labelsOnPod, podNames } from './pod-information.ts';

export const linuxContainerGatherer = ({ files, env }: MachineAccess): Gatherer => ({
  name: 'container',
  reports: [CONTAINER],
  intervalMs: INTERVAL_MS,
  gather: async session => {
    const { clock, signal } = session;
    const isPod = isInPod(env);
    let requested: { readonly labels: Reported<readonly MachineLabel[]>; readonly atMs: number } | undefined;
    /** At once, then at intervals; the last reply of the API server is kept while it does not answer. */
    const machineLabels = async (machine: Reported<string>): Promise<Reported<readonly MachineLabel[]>> => {
      if (isUnknown(machine)) return machine;
      if (requested === undefined || clock.nowMs() - requested.atMs >= REQUESTED_EVERY_MS) {
        const labels = await fetchLabels({ machine, env, files, signal });
        const kept = isUnknown(labels) && labels.code === 'no-answer' ? requested?.labels : undefined;
        requested = { labels: kept ?? labels, atMs: clock.nowMs() };
      }
      return requested.labels;
    };
    const pod = async (): Promise<NodeContainer['pod']> => {
      if (!isPod) return { kind: 'none' };
      const names = podNames(env, files);
      const reported = mayFetchLabels(env) ? await machineLabels(names.machine) : undefined;
      return { kind: 'pod', ...names, labels: merged(reported, labelsOnPod(files)) };
    };
    await poll(session, INTERVAL_MS, async () => {
      const cpuLimit = readCpuLimit(files);
      const memoryLimit = readMemoryLimit(files, hostMemoryBytes(files));
      if (!isPod && cpuLimit.kind === 'none' && memoryLimit.kind === 'none')
        session.absent(CONTAINER, SOURCE, 'neither limited nor a pod');
      else
        session.emit(isPod ? `${SOURCE}, kubernetes` : SOURCE, {
          kind: 'container',
          value: { cpuLimit, memoryLimit, pod: await pod() },
        });
    });
  },
});

/** The machine's own word counts before the copy on the pod, which is as old as the pod. */
const merged = (
  ofMachine: Reported<readonly MachineLabel[]> | undefined,
  onPod: Reported<readonly MachineLabel[]>,
): Reported<readonly MachineLabel[]> => {
  if (ofMachine === undefined)
    return isUnknown(onPod) ? unknown(`${onPod.reason}; the API server is not used`) : onPod;
  if (isUnknown(ofMachine)) return isUnknown(onPod) ? ofMachine : onPod;
  if (isUnknown(onPod)) return ofMachine;
  const known = new Set(ofMachine.map(({ label }) => label));
  return [...ofMachine, ...onPod.filter(({ label }) => !known.has(label))];
};

const hostMemoryBytes = (files: MachineFiles): number | undefined => {
  const kibibytes = digitsIn(/^MemTotal: +(\d+) kB$/m.exec(textOr(files.textNow('/proc/meminfo'), ''))?.[1]);
  return kibibytes === undefined ? undefined : kibibytes * 1_024;
};

const CONTAINER: GatheredKind = { reading: 'container', vendor: 'none' };
const SOURCE = 'control groups';
const INTERVAL_MS = 30_000;
const REQUESTED_EVERY_MS = 600_000;
