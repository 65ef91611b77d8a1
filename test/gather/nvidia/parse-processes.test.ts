import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { LatestProcesses, parseProcesses } from '../../../src/gather/nvidia/parse-processes.ts';
import { fixtureText } from '../gpu/fixture-tree.ts';

const MIB = 1024 * 1024;

describe('the processes on a device of NVIDIA', () => {
  test('are reported by program alone, with their memory', () => {
    expect([...parseProcesses(fixtureText('nvidia-smi/inventory-rtx-4090.xml')).values()]).toEqual([
      [{ pid: 4_242, name: 'python', memoryBytes: 512 * MIB }],
    ]);
  });

  test('are each reported once, the most memory first, as a machine printed them', context => {
    const captures = process.env['CAPTURES_DIR'];
    if (captures === undefined) return context.skip('CAPTURES_DIR names no folder of captures');
    const [processes] = parseProcesses(
      readFileSync(join(captures, 'nvidia-smi/gb10-dgx-spark.xml'), 'utf8'),
    ).values();
    expect(processes).toMatchObject([
      { pid: 300, name: 'VLLM::EngineCore', memoryBytes: 69_564 * MIB },
      { pid: 100, name: 'python', memoryBytes: 20_434 * MIB },
      { pid: 200, name: 'Xorg', memoryBytes: 18 * MIB },
      { pid: 400, name: unknown('the driver does not report it'), memoryBytes: { kind: 'unknown' } },
    ]);
  });

  test('are unknown where the inventory has not come for long, or does not list the device', () => {
    const latest = new LatestProcesses(90_000);
    expect(latest.of('GPU-1', 0)).toEqual(unknown('not read lately'));
    latest.receive(new Map([['GPU-1', []]]), 1_000);
    expect(latest.of('GPU-1', 91_000)).toEqual([]);
    expect(latest.of('GPU-1', 91_001)).toEqual(unknown('not read lately'));
    expect(latest.of('GPU-2', 2_000)).toEqual(unknown('the device was not listed'));
  });
});
