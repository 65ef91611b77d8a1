// The labels of a pod's machine, requested from the API server with the pod's own service account. Only if the environment
// allows it, which the chart sets with the right to `get` nodes; otherwise no packet leaves.

import { request } from 'node:https';
import * as v from 'valibot';
import { isPlaceLabel, type MachineLabel } from '../../core/node/container.ts';
import { errorMessage } from '../../core/problem.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { Env } from '../../process/child.ts';
import { isUnreadable, type MachineFiles, notRead } from '../machine-files.ts';
import { isLabel, SERVICE_ACCOUNT } from './pod-information.ts';

interface LabelQuestion {
  readonly machine: string;
  readonly env: Env;
  readonly files: MachineFiles;
  readonly signal: AbortSignal;
}

export const mayFetchLabels = (env: Env): boolean => env['PLIMSOLL_KUBERNETES_NODE_LABELS'] === 'api-server';

/** The token and the authority are read each time: the kubelet replaces both while a pod runs. */
export const fetchLabels = async ({
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
    .filter(([label, value]) => isPlaceLabel(label) && isLabel(label, value))
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
