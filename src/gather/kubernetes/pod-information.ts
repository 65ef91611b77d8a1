// What Kubernetes provides to a pod about itself (the downward API): names in variables, labels in a file. The chart decides
// which variables and which file; a pod from elsewhere has some of them, and the rest is unknown.

import { isPlaceLabel, type MachineLabel, type Pod } from '../../core/node/container.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { Env } from '../../process/child.ts';
import { isUnreadable, type MachineFiles, notRead, textOr } from '../machine-files.ts';

/** Every container of a pod has this variable, with the address of the API server. */
export const isInPod = (env: Env): boolean => (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '';

export const podNames = (env: Env, files: MachineFiles): Omit<Pod, 'labels'> => ({
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
export const labelsOnPod = (files: MachineFiles): Reported<readonly MachineLabel[]> => {
  const text = files.textNow(LABELS_FILE);
  if (isUnreadable(text)) return notRead(text);
  const labels = parseLabelsFile(text).filter(({ label }) => isPlaceLabel(label));
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
export const isLabel = (label: string, value: string): boolean =>
  label !== '' && label.length <= LABEL_LENGTH_MAX && value !== '' && value.length <= VALUE_LENGTH_MAX;

const variable = (env: Env, name: string): Reported<string> => {
  const value = (env[name] ?? '').trim().slice(0, NAME_LENGTH_MAX);
  return value === '' ? unknown(`no ${name} in the environment`) : value;
};

export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const LABELS_FILE = '/etc/plimsoll/pod/labels';
const LABELS_MAX = 256;
/** A prefix of at most 253 characters, a slash, a name of at most 63. */
const LABEL_LENGTH_MAX = 317;
const VALUE_LENGTH_MAX = 63;
const NAME_LENGTH_MAX = 253;
