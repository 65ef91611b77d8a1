// Gatherers read a machine only through what they are given: so it may be a fixture, or a machine that was read over SSH, and never by
// mistake the one on which they run.

import { expect, test } from 'vitest';
import { repositoryFiles, textOf } from '../support/repository.ts';

/** The ports' adapters of this machine, and what a captured machine does not use: the kernel's log, and a pod's own environment. */
const ADAPTERS: readonly string[] = [
  'directory-files',
  'machine-path',
  'machine-host',
  'machine-tools',
  'kmsg/linux-gpu-errors-gatherer',
  'kubernetes/container-gatherer',
];

test('no gatherer opens files, starts tools or queries the system by itself', ({ skip }) => {
  const files = repositoryFiles() ?? skip('there is no git');
  const own = files
    .filter(
      file => file.startsWith('src/gather/') && !ADAPTERS.includes(file.slice('src/gather/'.length, -3)),
    )
    .filter(file =>
      /from 'node:(?:fs|fs\/promises|os|child_process|net|https?)'|\b(?:runTool|streamLines|quietLines)\b/.test(
        textOf(file),
      ),
    );
  expect(own).toEqual([]);
});
