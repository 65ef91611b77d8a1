// Every recorded output of the GPU tools goes through its parser. The recordings are not part of the repository:
// CAPTURES_DIR names the folder that holds them.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isKnown, isUnknown } from '../../../src/core/unknown.ts';
import { parseRocmSmi } from '../../../src/gather/amd-smi/amd-tool.ts';
import { parseAmdSmiMetric, parseAmdSmiStatic } from '../../../src/gather/amd-smi/parse-amd-smi.ts';
import { jsonDocuments } from '../../../src/gather/amd-smi/tool-json.ts';
import { parseLoadRow } from '../../../src/gather/nvidia/load-query.ts';
import { readToolMessage } from '../../../src/gather/nvidia/nvidia-tool.ts';
import { parseInventory } from '../../../src/gather/nvidia/parse-inventory.ts';

const NONE = 'CAPTURES_DIR does not name a folder with recordings of this tool';
const FOLDER = process.env['CAPTURES_DIR'] ?? '';

/** The columns with which the recordings of nvidia-smi were made. */
const RECORDED_FIELDS = [
  'index',
  'uuid',
  'name',
  'memory.total',
  'memory.used',
  'utilization.gpu',
  'temperature.gpu',
  'power.draw',
  'power.limit',
  'clocks.sm',
  'pcie.link.gen.current',
  'pcie.link.width.current',
  'driver_version',
];

describe('recorded output', () => {
  it.for(captures('nvidia-smi', /\.xml$/))('of nvidia-smi is a list of devices: %s', (file, context) => {
    if (file === NONE) return context.skip(NONE);
    const parsed = parseInventory(text(file));
    expect(parsed.kind).toBe('answered');
    if (parsed.kind !== 'answered') return;
    expect(parsed.value.devices).toHaveLength(1);
    const [device] = parsed.value.devices;
    expect(device?.memoryIsUnified).toBe(file.includes('gb10'));
    expect(isKnown(device?.memoryTotalBytes)).toBe(!file.includes('gb10'));
  });

  it.for(captures('nvidia-smi', /query-(?!temperature).*\.txt$/))(
    'of nvidia-smi is rows: %s',
    (file, context) => {
      if (file === NONE) return context.skip(NONE);
      const lines = text(file).trim().split('\n');
      const rows = lines.map(line => parseLoadRow(RECORDED_FIELDS, line));
      expect(rows.every(row => row !== undefined)).toBe(true);
      expect(new Set(rows.map(row => row?.load.deviceId)).size).toBe(lines.length);
    },
  );

  it.for(captures('nvidia-smi', /\/(driver-mismatch|gpu-lost|no-devices|no-driver)\.txt$/))(
    'of nvidia-smi is a message with a reason: %s',
    (file, context) => {
      if (file === NONE) return context.skip(NONE);
      expect(readToolMessage(text(file))?.reason).toBeTruthy();
      expect(parseInventory(text(file)).kind).toBe('unanswered');
      for (const line of text(file).split('\n')) expect(parseLoadRow(RECORDED_FIELDS, line)).toBeUndefined();
    },
  );

  it.for(captures('nvidia-smi', /(temperature-memory|compute-apps).*\.txt$/))(
    'of nvidia-smi to another question is not taken for rows: %s',
    (file, context) => {
      if (file === NONE) return context.skip(NONE);
      for (const line of text(file).split('\n')) expect(parseLoadRow(RECORDED_FIELDS, line)).toBeUndefined();
    },
  );

  it.for(captures('amd-smi', /metric-.*/))('of amd-smi is loads: %s', (file, context) => {
    if (file === NONE) return context.skip(NONE);
    const documents = jsonDocuments(text(file));
    expect(documents).toHaveLength(file.includes('watch') ? 2 : 1);
    for (const document of documents) {
      const loads = parseAmdSmiMetric(document, []);
      expect(loads).toHaveLength(file.includes('pair') ? 2 : 1);
      for (const load of loads) expect(isUnknown(load.use)).toBe(false);
    }
  });

  it.for(captures('amd-smi', /static-.*/))('of amd-smi is devices: %s', (file, context) => {
    if (file === NONE) return context.skip(NONE);
    const devices = jsonDocuments(text(file)).flatMap(parseAmdSmiStatic);
    expect(devices.length).toBeGreaterThan(0);
    for (const device of devices) {
      expect(device.name).toMatch(/AMD/);
      expect(device.address).toMatch(/^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d$/);
      expect(device.powerLimitWatts).toBeGreaterThan(0);
    }
  });

  it.for(captures('rocm-smi', /\.json$/))('of rocm-smi is devices: %s', (file, context) => {
    if (file === NONE) return context.skip(NONE);
    const devices = jsonDocuments(text(file)).flatMap(parseRocmSmi);
    expect(devices).toHaveLength(file.includes('secondary-die') ? 2 : 1);
    if (!file.includes('secondary-die')) expect(devices[0]?.name).toMatch(/(MI300X|7900 XT)$/);
  });
});

function captures(tool: string, pattern: RegExp): readonly string[] {
  const folder = join(FOLDER, tool);
  if (FOLDER === '' || !existsSync(folder)) return [NONE];
  return readdirSync(folder)
    .map(name => `${tool}/${name}`)
    .filter(file => pattern.test(file))
    .sort();
}

function text(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}
