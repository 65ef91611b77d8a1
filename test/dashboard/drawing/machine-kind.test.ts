import { expect, test } from 'vitest';
import { machineKind } from '../../../dashboard/src/drawing/machine-kind.ts';
import type { NodeIdentity } from '../../../src/core/node/identity.ts';
import { type Reported, unknown } from '../../../src/core/unknown.ts';

const identity = (
  model: Reported<string>,
  chip: Reported<string> = 'chip',
  virtualisation = 'none',
): NodeIdentity => ({
  friendlyName: 'n',
  hostName: 'n',
  model,
  chip,
  architecture: 'x64',
  cpuCount: 8,
  operatingSystem: { platform: 'linux', name: 'Linux', version: '1', build: '6' },
  memoryIsUnified: false,
  virtualisation,
  plimsollVersion: '0.1.0',
  isSimulated: false,
});
const unified = { memoryIsUnified: true };
const own = { memoryIsUnified: false };

test.each([
  ['Mac Studio', [unified], 'studio'],
  ['Mac mini', [unified], 'mini'],
  ['MacBook Pro', [unified], 'macbook'],
  ['NVIDIA DGX Spark', [unified], 'spark'],
  ['Raspberry Pi 5 Model B', [], 'board'],
  ['Supermicro AS-4125GS', [own, own], 'rack'],
  ['PowerEdge R760', [], 'rack'],
  ['ASUS ProArt', [own], 'tower'],
  ['ASUS ProArt', [own, own], 'rack'],
  ['ASUS ProArt', [], 'tower'],
] as const)('%s with %j is drawn as %s', (model, gpus, kind) => {
  expect(machineKind(identity(model), gpus)).toBe(kind);
});

test('a machine with a GB10 is drawn as a Spark, from any maker', () => {
  expect(machineKind(identity('Some Desktop', 'NVIDIA GB10'), [unified])).toBe('spark');
});

test('a virtual machine is dashed, unless it has GPUs to show', () => {
  expect(machineKind(identity('Standard PC', 'chip', 'kvm'), [])).toBe('vm');
  expect(machineKind(identity('Standard PC', 'chip', 'kvm'), [own])).toBe('rack');
});

test('what is unknown is drawn as the dashed box', () => {
  expect(machineKind(undefined, [])).toBe('vm');
  expect(machineKind(identity(unknown('no DMI')), [])).toBe('vm');
});
