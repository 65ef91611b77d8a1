import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { SMALL_YOUNG_GENERATION } from '../../src/cli/process-state.ts';

test('this Node knows the flag that keeps the young generation of a daemon small', () => {
  const { status, stderr } = spawnSync(process.execPath, [SMALL_YOUNG_GENERATION, '--eval', '0'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
