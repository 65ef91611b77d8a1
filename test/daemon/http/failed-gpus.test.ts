import { expect, it } from 'vitest';
import { clusterChecks } from '../../../src/cli/doctor/daemon-checks.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { headroomDevices } from '../../../src/core/model/headroom-devices.ts';
import type { FailedGpu } from '../../../src/core/node/failed-gpu.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { clusterTotals } from '../../../src/core/totals.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { clusterWarnings } from '../../../src/core/warnings/cluster-warnings.ts';
import { sendRequest } from './http-exchange.ts';
import { serveCluster } from './served-cluster.ts';

const ATLAS = nodeId('a'.repeat(26));
const LOST: FailedGpu = {
  deviceId: 'gpu-1',
  name: 'Test GPU',
  index: 1,
  pciAddress: '0000:34:00.0',
  state: 'lost',
  reason: 'Unknown Error',
};
const TO_RESET: FailedGpu = {
  deviceId: 'gpu-3',
  name: 'Test GPU',
  index: 3,
  pciAddress: '0000:36:00.0',
  state: 'needs-reset',
  reason: 'GPU requires reset',
};

const gpus = (devices: readonly number[], failed: readonly FailedGpu[]): Fact => ({
  kind: 'gpus.gathered',
  payload: {
    source: 'nvidia-smi',
    intervalMs: 30_000,
    value: { vendor: 'nvidia', devices: devices.map(device), failed },
  },
});

const device = (index: number) => ({
  deviceId: `gpu-${index}`,
  index,
  name: 'Test GPU',
  memoryTotalBytes: 24e9,
  memoryIsUnified: false,
  driver: '1',
  runtime: unknown('not set'),
  architecture: unknown('not set'),
  coreCount: unknown('not set'),
  pcieMax: unknown('not set'),
  powerLimitWatts: 450,
  partitions: [],
});

it('are counted apart in metrics, with a series for each, and in no sum', async () => {
  await using served = await serveCluster();
  served.report(ATLAS, gpus([0, 2], [LOST, TO_RESET]));
  const { body } = await sendRequest({ port: served.port, path: '/metrics' });
  const series = (text: string): readonly string[] => body.split('\n').filter(line => line.startsWith(text));
  const of = `node="${ATLAS}",name="aaaaaaaa"`;
  expect(series('plimsoll_node_gpus{')).toEqual([
    `plimsoll_node_gpus{${of},vendor="nvidia",state="working"} 2`,
    `plimsoll_node_gpus{${of},vendor="nvidia",state="lost"} 1`,
    `plimsoll_node_gpus{${of},vendor="nvidia",state="needs-reset"} 1`,
  ]);
  expect(series('plimsoll_gpu_failed{')).toEqual([
    `plimsoll_gpu_failed{${of},device="gpu-1",pci="0000:34:00.0",model="Test GPU",state="lost"} 1`,
    `plimsoll_gpu_failed{${of},device="gpu-3",pci="0000:36:00.0",model="Test GPU",state="needs-reset"} 1`,
  ]);
  expect(series('plimsoll_gpu_memory_total_bytes{')).toHaveLength(2);
  const { state } = served.cluster;
  expect(clusterTotals(state, 0)).toMatchObject({ gpuCount: 2, memoryTotalBytes: { sum: 48e9 } });
  expect(headroomDevices(nodeView(state, ATLAS, 0)).map(({ name }) => name)).toEqual([
    'aaaaaaaa GPU 0',
    'aaaaaaaa GPU 2',
  ]);
});

it('are listed by the API apart from the devices', async () => {
  await using served = await serveCluster();
  served.report(ATLAS, gpus([], [LOST]));
  const { body } = await sendRequest({ port: served.port, path: '/api/nodes' });
  expect(JSON.parse(body)).toMatchObject({ nodes: [{ gpus: [{ devices: [], failed: [LOST] }] }] });
});

it('are warnings with the command that acts, and problems for doctor, until they are back', async () => {
  await using served = await serveCluster();
  served.report(ATLAS, gpus([0, 2], [LOST, TO_RESET]));
  const { state } = served.cluster;
  expect(clusterWarnings({ state, views: [nodeView(state, ATLAS, 0)], nowMs: 0 })).toMatchObject([
    {
      id: `gpu lost ${ATLAS} gpu-1`,
      level: 'danger',
      title: 'aaaaaaaa: GPU 1 (0000:34:00.0) is lost',
      why: expect.stringContaining('Test GPU: Unknown Error. What ran on it has failed.'),
      command: 'sudo systemctl reboot',
    },
    {
      id: `gpu needs-reset ${ATLAS} gpu-3`,
      level: 'danger',
      title: 'aaaaaaaa: GPU 3 (0000:36:00.0) must be reset',
      command: 'sudo nvidia-smi --gpu-reset -i 0000:36:00.0',
    },
  ]);
  expect(clusterChecks(state, 0)).toMatchObject([
    {
      verdict: 'problem',
      text: expect.stringContaining('GPU 1 (0000:34:00.0) is lost'),
      advice: 'On aaaaaaaa: sudo systemctl reboot',
    },
    { verdict: 'problem', text: expect.stringContaining('GPU 3 (0000:36:00.0) must be reset') },
  ]);
  served.report(ATLAS, gpus([0, 1, 2, 3], []));
  expect(clusterChecks(served.cluster.state, 0)).toEqual([]);
});
