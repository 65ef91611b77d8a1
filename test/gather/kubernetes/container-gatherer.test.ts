import { createServer, type Server } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import type { NodeContainer } from '../../../src/core/node/container.ts';
import { unknown } from '../../../src/core/unknown.ts';
import {
  linuxContainerGatherer,
  parseLabelsFile,
} from '../../../src/gather/kubernetes/container-gatherer.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { recordedFiles } from '../../support/recorded-files.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { isReading, runForTest } from '../gatherer-run.ts';
import { machineForTest } from '../machine-for-test.ts';
import { filesAt } from '../recorded-tree.ts';

const GROUP = {
  '/proc/meminfo': 'MemTotal:       16384000 kB\n',
  '/proc/self/cgroup': '0::/\n',
  '/proc/self/mountinfo': '30 1 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup ro\n',
};
const IN_POD = {
  KUBERNETES_SERVICE_HOST: '10.96.0.1',
  PLIMSOLL_KUBERNETES_NODE: 'worker-7',
  PLIMSOLL_KUBERNETES_POD: 'plimsoll-x4k2p',
  PLIMSOLL_KUBERNETES_NAMESPACE: 'observability',
};
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

describe('the container of a node', () => {
  it('has the limits of its control group, version 2, next to the whole of the machine', async () => {
    const reported = await containerOf({
      ...GROUP,
      '/sys/fs/cgroup/cpu.max': '250000 100000\n',
      '/sys/fs/cgroup/memory.max': '2147483648\n',
    });
    expect(reported).toEqual({
      cpuLimit: { kind: 'limited', cpus: 2.5 },
      memoryLimit: { kind: 'limited', bytes: 2_147_483_648 },
      pod: { kind: 'none' },
    });
  });

  it('has those of version 1, of which each controller has its own path', async () => {
    const reported = await containerOf({
      '/proc/meminfo': GROUP['/proc/meminfo'],
      '/proc/self/cgroup': '4:memory:/kubepods/pod1/c1\n1:cpu,cpuacct:/kubepods/pod1/c1\n',
      '/proc/self/mountinfo': [
        '32 31 0:29 /kubepods/pod1/c1 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct',
        '35 31 0:32 /kubepods/pod1/c1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n',
      ].join('\n'),
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    });
    expect(reported).toMatchObject({
      cpuLimit: { kind: 'limited', cpus: 0.5 },
      memoryLimit: { kind: 'none' },
    });
  });

  it('counts the tightest limit of the groups above it', async () => {
    const reported = await containerOf({
      ...GROUP,
      '/proc/self/cgroup': '0::/system.slice/plimsoll.service\n',
      '/sys/fs/cgroup/system.slice/cpu.max': '100000 100000\n',
      '/sys/fs/cgroup/system.slice/plimsoll.service/cpu.max': '400000 100000\n',
    });
    expect(reported).toMatchObject({ cpuLimit: { kind: 'limited', cpus: 1 } });
  });

  it('is none where nothing limits the daemon and Kubernetes has not started it', async () => {
    await using run = runForTest([linuxContainerGatherer(machineWith(GROUP))], new VirtualClock());
    await run.waitUntil(() => true, 'from start');
    expect(run.reported).toEqual([
      {
        kind: 'absence',
        about: 'container',
        source: 'control groups',
        reason: 'neither limited nor a pod',
      },
    ]);
  });
});

describe('a pod', () => {
  it('reads its machine, its name and its namespace', async () => {
    expect(await containerOf(GROUP, IN_POD)).toMatchObject({
      cpuLimit: { kind: 'none' },
      pod: { kind: 'pod', machine: 'worker-7', podName: 'plimsoll-x4k2p', namespace: 'observability' },
    });
  });

  it('reports which names it was not given', async () => {
    const { pod } = await containerOf(GROUP, { KUBERNETES_SERVICE_HOST: '10.96.0.1' });
    expect(pod).toMatchObject({
      machine: unknown('no PLIMSOLL_KUBERNETES_NODE in the environment'),
      namespace: unknown('no service account in this pod'),
    });
  });

  it('takes zone and region from labels that Kubernetes copied to it, and none of its own', async () => {
    const { pod } = await containerOf(
      {
        ...GROUP,
        '/etc/plimsoll/pod/labels': 'app="plimsoll"\ntopology.kubernetes.io/zone="eu-1a"\n',
      },
      IN_POD,
    );
    expect(pod).toMatchObject({ labels: [{ label: 'topology.kubernetes.io/zone', value: 'eu-1a' }] });
  });

  it('does not query the API server without permission', async () => {
    await using server = await apiServer(() => ({ status: 200, body: '{}' }));
    await containerOf(GROUP, { ...IN_POD, ...server.env });
    expect(server.paths).toEqual([]);
  });

  it('asks the API server for the labels of its machine with its own account, and keeps those of its place', async () => {
    await using server = await apiServer(authorization => ({
      status: authorization === 'Bearer secret' ? 200 : 401,
      body: JSON.stringify({
        metadata: {
          labels: {
            'topology.kubernetes.io/zone': 'eu-1a',
            'plimsoll/rack': 'r07',
            'nvidia.com/gpu.product': 'NVIDIA-H200',
            'example.com/owner': 'team-of-somebody',
          },
        },
      }),
    }));
    const { pod } = await containerOf(server.files, { ...IN_POD, ...server.env, ...MAY_REQUEST });
    expect(pod).toMatchObject({
      labels: [
        { label: 'topology.kubernetes.io/zone', value: 'eu-1a' },
        { label: 'plimsoll/rack', value: 'r07' },
        { label: 'nvidia.com/gpu.product', value: 'NVIDIA-H200' },
      ],
    });
    expect(server.paths).toEqual(['/api/v1/nodes/worker-7']);
  });

  it('reports that its account may not read nodes, with a code that advice can follow', async () => {
    await using server = await apiServer(() => ({ status: 403, body: '{"kind":"Status"}' }));
    const { pod } = await containerOf(server.files, { ...IN_POD, ...server.env, ...MAY_REQUEST });
    expect(pod).toMatchObject({ labels: unknown('the service account may not get nodes', 'permission') });
  });

  it('trusts only the authority of its service account', async () => {
    await using server = await apiServer(() => ({ status: 200, body: '{}' }));
    const { pod } = await containerOf(
      { ...server.files, [`${ACCOUNT}/ca.crt`]: makeCertificate()?.cert ?? '' },
      { ...IN_POD, ...server.env, ...MAY_REQUEST },
    );
    expect(pod).toMatchObject({ labels: { kind: 'unknown', code: 'no-answer' } });
    expect(server.paths).toEqual([]);
  });

  it('refuses an answer past its bound, and one that is no node', async () => {
    for (const [body, reason] of [
      ['x'.repeat(1_100_000), /more than 1048576 bytes/],
      ['[]', /did not answer with a node/],
    ] as const) {
      await using server = await apiServer(() => ({ status: 200, body }));
      const { pod } = await containerOf(server.files, { ...IN_POD, ...server.env, ...MAY_REQUEST });
      expect(pod).toMatchObject({ labels: { kind: 'unknown', reason: expect.stringMatching(reason) } });
    }
  });
});

describe('the file of labels', () => {
  it('is read line by line; what is no label is left out', () => {
    expect(parseLabelsFile('a="1"\nb/c="x.y"\nbroken\nd="say \\"hi\\""\n')).toEqual([
      { label: 'a', value: '1' },
      { label: 'b/c', value: 'x.y' },
    ]);
  });
});

const MAY_REQUEST = { PLIMSOLL_KUBERNETES_NODE_LABELS: 'api-server' };

const machineWith = (files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) =>
  machineForTest({ env, files: recordedFiles([filesAt(files)]) });

const containerOf = async (
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<NodeContainer> => {
  await using run = runForTest([linuxContainerGatherer(machineWith(files, env))], new VirtualClock());
  return (await run.waitFor(isReading('container'), 'from start')).reading.value;
};

interface ApiServer extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
}

const open = new Set<Server>();
afterEach(() => expect(open.size).toBe(0));

/** One of Kubernetes as far as this question goes: TLS with an authority of its own. */
const apiServer = async (
  answer: (authorization: string) => { readonly status: number; readonly body: string },
): Promise<ApiServer> => {
  const certificate = makeCertificate();
  if (certificate === undefined) throw new Error('no openssl on this machine');
  const paths: string[] = [];
  const server = createServer(certificate, (request, response) => {
    paths.push(request.url ?? '');
    const { status, body } = answer(request.headers.authorization ?? '');
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  open.add(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    env: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) },
    files: { ...GROUP, [`${ACCOUNT}/token`]: 'secret\n', [`${ACCOUNT}/ca.crt`]: certificate.cert },
    paths,
    [Symbol.asyncDispose]: async () => {
      await new Promise(resolve => server.close(resolve));
      open.delete(server);
    },
  };
};
