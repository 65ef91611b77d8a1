// The container of this process: its limits, and what Kubernetes reports about it. A process without limits that is not in a pod
// has nothing to report.

import { request } from 'node:https';
import * as v from 'valibot';
import { isPublicLabel, type MachineLabel, type NodeContainer, type Pod } from '../../core/node/container.ts';
import { errorMessage } from '../../core/problem.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { Env } from '../../process/child.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { digitsIn, isUnreadable, type MachineFiles, notRead, textOr } from '../machine-files.ts';
import { poll } from '../poll.ts';
import { readCpuLimit, readMemoryLimit } from '../procfs/cpu-limit.ts';

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

// The labels of a pod's machine, requested from the API server with the pod's own service account. Only if the environment
// allows it, which the chart sets with the right to `get` nodes; otherwise no packet leaves.
interface LabelQuestion {
  readonly machine: string;
  readonly env: Env;
  readonly files: MachineFiles;
  readonly signal: AbortSignal;
}

const mayFetchLabels = (env: Env): boolean => env['PLIMSOLL_KUBERNETES_NODE_LABELS'] === 'api-server';

/** The token and the authority are read each time: the kubelet replaces both while a pod runs. */
const fetchLabels = async ({
  machine,
  env,
  files,
  signal,
}: LabelQuestion): Promise<Reported<readonly MachineLabel[]>> => {
  if (!MACHINE_NAME.test(machine)) return unknown(`no name of a machine: ${JSON.stringify(machine)}`);
  const token = files.textNow(`${SERVICE_ACCOUNT}/token`);
  if (isUnreadable(token)) return notRead(token);
  const authority = files.textNow(`${SERVICE_ACCOUNT}/ca.crt`);
  if (isUnreadable(authority)) return notRead(authority);
  try {
    const { status, body } = await get({
      host: env['KUBERNETES_SERVICE_HOST'] ?? '',
      port: env['KUBERNETES_SERVICE_PORT_HTTPS'] ?? env['KUBERNETES_SERVICE_PORT'] ?? '443',
      path: `/api/v1/nodes/${machine}`,
      token: token.trim(),
      authority,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    if (status === 403) return unknown('the service account may not get nodes', 'permission');
    if (status !== 200) return unknown(`the API server answered ${status}`);
    return labelsIn(body);
  } catch (error) {
    if (signal.aborted) throw error;
    return unknown(
      `the API server did not answer: ${errorMessage(error)}`.slice(0, REASON_LENGTH_MAX),
      'no-answer',
    );
  }
};

const labelsIn = (body: string): Reported<readonly MachineLabel[]> => {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), machineSchema), body);
  if (!read.success) return unknown('the API server did not answer with a node');
  const labels = Object.entries(read.output.metadata.labels)
    .filter(([label, value]) => isPublicLabel(label) && isLabel(label, value))
    .slice(0, LABELS_KEPT_MAX)
    .map(([label, value]): MachineLabel => ({ label, value }));
  return labels.length === 0 ? unknown('no label of the machine has its location') : labels;
};

interface Question {
  readonly host: string;
  readonly port: string;
  readonly path: string;
  readonly token: string;
  readonly authority: string;
  readonly signal: AbortSignal;
}

const get = ({ host, port, path, token, authority, signal }: Question) =>
  new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    const requested = request(
      {
        host: host.replace(/^\[(.*)\]$/, '$1'),
        port,
        path,
        ca: authority,
        agent: false,
        signal,
        // Metadata alone: the whole object lists every image on the machine.
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json',
        },
      },
      answer => {
        const parts: Buffer[] = [];
        let bytes = 0;
        answer.on('data', (part: Buffer) => {
          bytes += part.length;
          if (bytes > ANSWER_BYTES_MAX)
            requested.destroy(new Error(`an answer of more than ${ANSWER_BYTES_MAX} bytes`));
          else parts.push(part);
        });
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') }),
        );
      },
    );
    requested.on('error', reject);
    requested.end();
  });

const machineSchema = v.object({
  metadata: v.object({ labels: v.optional(v.record(v.string(), v.string()), {}) }),
});

/** A DNS subdomain (RFC 1123), which is what goes into the path. */
const MACHINE_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const ANSWER_MS = 5_000;
const ANSWER_BYTES_MAX = 1_048_576;
const LABELS_KEPT_MAX = 64;
const REASON_LENGTH_MAX = 200;

// What Kubernetes provides to a pod about itself (the downward API): names in variables, labels in a file. The chart decides
// which variables and which file; a pod from elsewhere has some of them, and the rest is unknown.

/** Every container of a pod has this variable, with the address of the API server. */
const isInPod = (env: Env): boolean => (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '';

const podNames = (env: Env, files: MachineFiles): Omit<Pod, 'kind' | 'labels'> => ({
  machine: variable(env, 'PLIMSOLL_KUBERNETES_NODE'),
  podName: variable(env, 'PLIMSOLL_KUBERNETES_POD'),
  namespace:
    env['PLIMSOLL_KUBERNETES_NAMESPACE'] ||
    textOr(files.textNow(`${SERVICE_ACCOUNT}/namespace`), unknown('no service account in this pod')),
});

/**
 * Kubernetes 1.35 copies zone and region of the machine to each pod as labels (KEP-4742), and a deployment may add others.
 * The pod's own labels never leave it.
 */
const labelsOnPod = (files: MachineFiles): Reported<readonly MachineLabel[]> => {
  const text = files.textNow(LABELS_FILE);
  if (isUnreadable(text)) return notRead(text);
  const labels = parseLabelsFile(text).filter(({ label }) => isPublicLabel(label));
  return labels.length === 0 ? unknown('no label of the pod has its location') : labels;
};

/** Lines such as `topology.kubernetes.io/zone="eu-1"`: the value is quoted as Go quotes, which for labels is as JSON does. */
export const parseLabelsFile = (text: string): readonly MachineLabel[] =>
  text
    .split('\n')
    .slice(0, LABELS_MAX)
    .flatMap(line => {
      const [, label = '', value = ''] =
        /^([A-Za-z0-9][A-Za-z0-9._/-]*)="([A-Za-z0-9._-]*)"$/.exec(line) ?? [];
      return isLabel(label, value) ? [{ label, value }] : [];
    });

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set */
const isLabel = (label: string, value: string): boolean =>
  label !== '' && label.length <= LABEL_LENGTH_MAX && value !== '' && value.length <= VALUE_LENGTH_MAX;

const variable = (env: Env, name: string): Reported<string> => {
  const value = (env[name] ?? '').trim().slice(0, NAME_LENGTH_MAX);
  return value === '' ? unknown(`no ${name} in the environment`) : value;
};

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const LABELS_FILE = '/etc/plimsoll/pod/labels';
const LABELS_MAX = 256;
/** A prefix of at most 253 characters, a slash, a name of at most 63. */
const LABEL_LENGTH_MAX = 317;
const VALUE_LENGTH_MAX = 63;
const NAME_LENGTH_MAX = 253;
