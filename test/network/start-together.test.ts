import { expect, it, type TestContext } from 'vitest';
import { reasonAgainstNamespaces } from './namespaces.ts';
import { startTogether } from './start-together.ts';

// Twelve programs on the cores of one machine: most of the time is theirs to start.
it('twelve daemons that start in one moment are all linked with one another, and no word is lost', async (context: TestContext) => {
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) context.skip(reason);
  const { upMs, meshedMs, malformedFrames } = await startTogether(12);
  console.info(
    `12 daemons were up after ${upMs.toFixed(0)} ms, and meshed ${meshedMs.toFixed(0)} ms after that`,
  );
  expect(malformedFrames).toBe(0);
}, 120_000);
