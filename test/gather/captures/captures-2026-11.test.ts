// Every recorded output of the collection of November 2026, through its parser, against the values of its README. The
// recordings are not part of the repository: they are in a folder next to the one that CAPTURES_DIR names.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amdgpuRows } from './captures-2026-11/amdgpu.ts';
import type { CaptureRow } from './captures-2026-11/capture-row.ts';
import { gpuRows } from './captures-2026-11/gpus.ts';
import { macosRows } from './captures-2026-11/macos.ts';
import { NOT_YET } from './captures-2026-11/not-yet.ts';
import { nvidiaSmiRows } from './captures-2026-11/nvidia-smi.ts';
import { procfsRows } from './captures-2026-11/procfs.ts';
import { sysfsRows } from './captures-2026-11/sysfs.ts';
import { tegrastatsRows } from './captures-2026-11/tegrastats.ts';

const ROWS: readonly CaptureRow[] = [
  ...amdgpuRows,
  ...nvidiaSmiRows,
  ...gpuRows,
  ...macosRows,
  ...procfsRows,
  ...sysfsRows,
  ...tegrastatsRows,
];

const CAPTURES_DIR = process.env['CAPTURES_DIR'] ?? '';
const FOLDER = CAPTURES_DIR === '' ? '' : join(CAPTURES_DIR, '../captures-2026-11');
const MISSING =
  CAPTURES_DIR === ''
    ? 'CAPTURES_DIR is not set: no recordings to parse'
    : existsSync(FOLDER)
      ? undefined
      : 'there is no folder captures-2026-11 next to CAPTURES_DIR';

describe('the recorded outputs of November 2026', () => {
  it('each have one row, and each row has its file', context => {
    if (MISSING !== undefined) return context.skip(MISSING);
    const recorded = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && entry.name !== 'README.md')
      .map(entry => join(entry.parentPath, entry.name).slice(FOLDER.length + 1));
    expect([...ROWS.map(({ file }) => file), ...Object.keys(NOT_YET)].sort()).toEqual(recorded.sort());
  });

  // The test above prints why there are none.
  it.for(MISSING === undefined ? ROWS : [])('are read correctly: $file', async ({ file, read, expected }) => {
    expect(await read(recording(file), recording)).toEqual(expected);
  });
});

const recording = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
