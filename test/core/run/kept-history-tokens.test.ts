// Whether a server kept the history of sessions, as the prompt tokens of later turns show it.

import { describe, expect, test } from 'vitest';
import { ContaminationTally } from '../../../src/core/run/contamination-tally.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { sampleOf } from '../../support/sample-of.ts';
import { REMARK } from '../../support/spoiled-run.ts';

interface Turn {
  readonly input: number;
  readonly output: number;
  readonly bytes: number;
  readonly reasoning?: number;
}

const evidenceOf = (...sessions: readonly (readonly Turn[])[]) => {
  const shape = {
    ...PLAIN_SHAPE,
    sessions: { concurrencyOf: 'sessions' as const, history: 'server' as const },
  };
  const tally = new ContaminationTally({ isStreaming: true, shape });
  for (const [session, turns] of sessions.entries())
    for (const [turn, { input, output, bytes, reasoning = 0 }] of turns.entries())
      tally.ended(
        sampleOf({
          inputTokens: input,
          outputTokens: output,
          bytesSent: bytes,
          turn: { session, turn, turns: turns.length },
          remark: { ...REMARK, reasoningTokens: reasoning },
        }),
      );
  const { keptTurns, lostHistories } = tally.evidence();
  return { keptTurns, lostHistories };
};

describe('the history of a session', () => {
  test('was lost if the prompts grow only because the texts of later turns are longer', () => {
    const growing = [
      { input: 30, output: 2, bytes: 405 },
      { input: 46, output: 2, bytes: 514 },
      { input: 66, output: 2, bytes: 614 },
      { input: 86, output: 2, bytes: 714 },
    ];
    expect(evidenceOf(growing, growing)).toEqual({ keptTurns: 6, lostHistories: 6 });
  });

  test('was lost if the prompts have no room for the answers', () => {
    const turns = [100, 110, 120].map(input => ({ input, output: 200, bytes: 800 }));
    expect(evidenceOf(turns)).toEqual({ keptTurns: 2, lostHistories: 2 });
  });

  test('was kept if each prompt has what came before it and a text of its own, however long that is', () => {
    const turns = [
      { input: 30, output: 20, bytes: 405 },
      { input: 100, output: 20, bytes: 514 },
      { input: 180, output: 20, bytes: 614 },
    ];
    expect(evidenceOf(turns)).toEqual({ keptTurns: 2, lostHistories: 0 });
  });

  test('was kept if a second turn of a few words only names the answer before it in addition', () => {
    const turns = [
      { input: 30, output: 20, bytes: 405 },
      { input: 57, output: 20, bytes: 480 },
    ];
    expect(evidenceOf(turns, turns)).toEqual({ keptTurns: 2, lostHistories: 0 });
  });

  test('was kept if only what the model thought is missing', () => {
    const turns = [
      { input: 30, output: 520, reasoning: 500, bytes: 405 },
      { input: 80, output: 520, reasoning: 500, bytes: 405 },
    ];
    expect(evidenceOf(turns)).toEqual({ keptTurns: 1, lostHistories: 0 });
  });

  test('was kept if one turn proves it and another is a long text of few tokens', () => {
    const turns = [
      { input: 30, output: 2, bytes: 405 },
      { input: 60, output: 2, bytes: 1_405 },
      { input: 90, output: 2, bytes: 405 },
    ];
    expect(evidenceOf(turns)).toEqual({ keptTurns: 2, lostHistories: 0 });
  });
});
