// What a rerun asks about: facts that differ, and none that only a reply of the server shows.

import { expect, test } from 'vitest';
import type { ServerReported } from '../../../src/core/run/provenance.ts';
import { type RerunFacts, rerunDifferences } from '../../../src/core/run/rerun-differences.ts';
import { unknown } from '../../../src/core/unknown.ts';

const VERSION: ServerReported = { from: 'GET /version', facts: [{ name: 'version', value: '0.32.0' }] };
const fingerprint = (value: string): ServerReported => ({
  from: 'POST /v1/chat/completions',
  facts: [{ name: 'system_fingerprint', value }],
});

const facts = (...server: readonly ServerReported[]): RerunFacts => ({
  version: '0.2.0',
  environment: { node: '24.0.0', os: 'Linux', cpu: 'made up', cores: 2 },
  model: 'm',
  provenance: {
    machine: {
      kernel: 'Linux',
      governor: unknown('none'),
      memoryBytes: 1,
      cpuLimit: unknown('none'),
      memoryLimitBytes: unknown('none'),
    },
    prompts: unknown('not planned'),
    server,
    node: unknown('none'),
    git: unknown('none'),
  },
});

test('a fingerprint that nobody looked up today is no difference, and another one is', () => {
  const before = facts(fingerprint('vllm-0.32.0-a'), VERSION);
  expect(rerunDifferences(before, facts(VERSION)).rows).toEqual([]);
  expect(rerunDifferences(before, facts(fingerprint('vllm-0.33.0-b'), VERSION)).rows).toMatchObject([
    { before: 'vllm-0.32.0-a', today: 'vllm-0.33.0-b' },
  ]);
});
