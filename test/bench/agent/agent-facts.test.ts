import { expect, test } from 'vitest';
import { AgentFacts } from '../../../src/bench/agent/agent-facts.ts';
import type { AgentMessage } from '../../../src/wire/agent-message.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const MIB = 1024 * 1024;

test('an agent whose coordinator reads its facts too slowly buffers at most a few megabytes, and sends no more', async () => {
  const clock = new VirtualClock();
  const reported: AgentMessage[] = [];
  const taken: (() => void)[] = [];
  const facts = new AgentFacts({
    wanted: 'all',
    clock,
    report: message => {
      reported.push(message);
      return new Promise(resolve => taken.push(() => resolve(true)));
    },
  });
  const reporting = facts.reportUntil(new AbortController().signal);
  facts.started(0, () => 7);
  facts.sampleLines(Buffer.from('a\n'));
  await clock.advance(50);
  expect(reported).toMatchObject([{ kind: 'facts', untilNs: 7, batches: [], lines: Buffer.from('a\n') }]);
  for (let mib = 0; mib < 5; mib += 1) facts.batch(new Uint8Array(MIB));
  taken[0]?.();
  await reporting;
  expect(reported).toHaveLength(1);
});

test('an agent that is to report only ends sends no batches', async () => {
  const clock = new VirtualClock();
  const reported: AgentMessage[] = [];
  const over = new AbortController();
  const facts = new AgentFacts({
    wanted: 'ends',
    clock,
    report: async message => {
      reported.push(message);
      return true;
    },
  });
  const reporting = facts.reportUntil(over.signal);
  facts.started(0, () => 7);
  facts.batch(new Uint8Array(3));
  facts.sampleLines(Buffer.from('a\n'));
  facts.sampleLines(Buffer.from('b\n'));
  over.abort();
  await reporting;
  expect(reported).toMatchObject([{ batches: [], lines: Buffer.from('a\nb\n') }]);
});
