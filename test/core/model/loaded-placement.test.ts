import { expect, test } from 'vitest';
import type { Engine } from '../../../src/core/model/engine-constants.ts';
import {
  type DeviceUses,
  type LoadedPlacement,
  loadedPlacement,
  usesDuring,
} from '../../../src/core/model/loaded-placement.ts';
import { placementName } from '../../../src/core/model/placement.ts';
import type { GpuProcess } from '../../../src/core/node/gpu.ts';
import { type NodeView, nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../../../src/core/unknown.ts';
import { SimulatedWorld, stateOf } from '../../simulate/simulated-world.ts';
import { madeUpModel } from '../../support/made-up-model.ts';

const MODEL = madeUpModel({ layers: 32, weightBytes: 5e9 });

/** A machine of the demo with its GPU four times. */
const manyGpus = async (): Promise<NodeView> => {
  await using world = new SimulatedWorld(4, { hasFaults: false });
  await world.clock.advance(60_000);
  const state = stateOf(world);
  const views = nodeIds(state).map(id => nodeView(state, id, world.clock.nowMs()));
  const found = views.find(view => view.gpus.some(({ devices }) => devices.length > 0));
  const [vendor] = found?.gpus ?? [];
  const [gpu] = vendor?.devices ?? [];
  if (found === undefined || vendor === undefined || gpu === undefined)
    throw new Error('the demo has no GPU');
  const devices = [0, 1, 2, 3].map(index => ({
    ...gpu,
    device: { ...gpu.device, index, deviceId: `GPU-${index}` },
  }));
  return { ...found, gpus: [{ ...vendor, devices }] };
};

const devicesOf = (view: NodeView) => view.gpus.flatMap(({ devices }) => devices);

const loaded = (
  view: NodeView,
  uses: Reported<DeviceUses>,
  engine: Engine = 'vllm',
): LoadedPlacement | Unknown =>
  loadedPlacement(view, {
    model: MODEL,
    engine,
    calibrations: [],
    offloadedShare: unknown('not reported'),
    uses,
    nowMs: 60_000,
  });

const nameOf = (answer: LoadedPlacement | Unknown): string =>
  isUnknown(answer) ? answer.reason : placementName(answer.placement);

test('of several devices those that were at work during a run are judged together', async () => {
  const view = await manyGpus();
  const [first, second, third, fourth] = devicesOf(view).map(({ device }) => device.deviceId);
  const uses = { [first ?? '']: 0.9, [second ?? '']: 0.85, [third ?? '']: 0, [fourth ?? '']: 0.02 };
  const both = loaded(view, uses);
  expect(nameOf(both)).toMatch(/^TP 2: .* GPU 0 \+ .* GPU 1$/);
  expect(isUnknown(both) ? '' : both.note).toMatch(/^2 of the 4 devices of .* were at work during the run$/);
  // llama.cpp gives each whole layers.
  expect(nameOf(loaded(view, uses, 'llama.cpp'))).toMatch(/^PP 2: .* \(16\) → .* \(16\)$/);
  expect(nameOf(loaded(view, { ...uses, [second ?? '']: 0.01 }))).toMatch(/ GPU 0$/);
});

test('a run is not judged if it is not reported which of several devices it loaded', async () => {
  const view = await manyGpus();
  expect(nameOf(loaded(view, unknown('no history')))).toMatch(/has 4 devices, .* not known: no history$/);
  expect(nameOf(loaded(view, {}))).toMatch(/the utilization of .* is not reported$/);
  const idle = Object.fromEntries(devicesOf(view).map(({ device }) => [device.deviceId, 0.01]));
  expect(nameOf(loaded(view, idle))).toMatch(/none of them was at work/);
  const three = Object.fromEntries(
    devicesOf(view).map(({ device }, index) => [device.deviceId, index < 3 ? 1 : 0]),
  );
  expect(nameOf(loaded(view, three))).toMatch(/^3 devices were at work, and they cannot share/);
});

test('use during a run is the mean of the last seconds of a history', () => {
  const series = {
    'gpu GPU-1 use': [0, 0, 1, null, 0.5],
    'gpu GPU-1 powerWatts': [9, 9, 9, 9, 9],
    cpuUse: [1],
  };
  expect(usesDuring({ stepMs: 1_000, series }, 2.4)).toEqual({ 'GPU-1': 0.75 });
});

test('processes next to the server are listed with their memory, small ones are not', async () => {
  const view = await manyGpus();
  const [first] = devicesOf(view);
  const reported = (processes: readonly GpuProcess[]): Reported<string> => {
    const only = {
      ...view,
      gpus: view.gpus.map(vendor => ({ ...vendor, devices: withProcesses(vendor, processes) })),
    };
    const answer = loaded(only, { [first?.device.deviceId ?? '']: 1 });
    return isUnknown(answer) ? answer : answer.evidence.otherProcesses;
  };
  const server = { pid: 7, name: 'python3', memoryBytes: 60e9 };
  expect(reported([server])).toBe('');
  expect(reported([{ pid: 1, name: 'Xorg', memoryBytes: 80e6 }, server])).toBe('');
  expect(reported([{ pid: 9, name: 'blender', memoryBytes: 4e9 }, server])).toBe(
    'next to the server, blender (9, 4.00\u00a0GB)',
  );
});

const withProcesses = (
  { devices }: NodeView['gpus'][number],
  processes: readonly GpuProcess[],
): NodeView['gpus'][number]['devices'] =>
  devices
    .slice(0, 1)
    .map(each => ({ ...each, load: each.load === undefined ? undefined : { ...each.load, processes } }));
