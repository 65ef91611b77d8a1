import { expect, it, type TestContext } from 'vitest';
import { longCount } from '../support/counts.ts';
import { reasonAgainstNamespaces } from './namespaces.ts';
import { startTogether } from './start-together.ts';

// Twelve programs on the cores of one machine: most of the time is theirs to start, so that is for the long run. What goes
// wrong with the first links does so with five (`test/daemon/mesh/first-links.test.ts` holds the rule).
const DAEMONS = longCount(5, 12);

it(`${DAEMONS} daemons that start in one moment are all linked with one another, and no word is lost`, async (context: TestContext) => {
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) context.skip(reason);
  const { upMs, meshedMs, malformedFrames } = await startTogether(DAEMONS);
  console.info(
    `${DAEMONS} daemons were up after ${upMs.toFixed(0)} ms, and meshed ${meshedMs.toFixed(0)} ms after that`,
  );
  expect(malformedFrames).toBe(0);
}, 120_000);
