// A trace of agents as sessions: each conversation with its subagents is one session, whose turns wait for the same
// requests as when they were recorded, and then as long as the agent did, divided by the speed. A turn sends its
// whole recorded prompt: it repeats the blocks of earlier turns, as the agent's did, and contains no answer of the
// server.

import { createHash } from 'node:crypto';
import type { Session, Turn } from '../session.ts';
import type { WordCosts } from '../word-costs.ts';
import type { Trace, TraceSession } from './read-trace.ts';
import { type ReplayPace, ReplayTimes } from './replay-times.ts';
import { TraceTexts } from './trace-text.ts';

/** The trace with the pauses of the replay, and how many of them were cut. */
export const pacedTrace = (
  trace: Trace,
  pace: ReplayPace,
): { readonly trace: Trace; readonly gapsCapped: number } => {
  const times = new ReplayTimes(pace);
  const paced = (pauseMs: number): number => (pauseMs - times.cut(pauseMs)) / pace.speed;
  const sessions = trace.sessions.map(
    (session): TraceSession => ({
      ...session,
      requests: session.requests.map(request => ({ ...request, delayMs: paced(request.delayMs) })),
    }),
  );
  return { trace: { ...trace, sessions }, gapsCapped: times.gapsCapped };
};

export const traceSessions = (
  { sessions }: Trace,
  {
    costs,
    seed,
    isOutputInBody,
  }: { readonly costs: WordCosts; readonly seed: number; readonly isOutputInBody: boolean },
): readonly Session[] => {
  const texts = new TraceTexts(costs, seed);
  let number = 0;
  return sessions.map(
    ({ id, startMs, requests }): Session => ({
      id,
      startOffsetMs: startMs,
      turns: requests.map((request): Turn => {
        const own = number;
        number += 1;
        return {
          after: request.after,
          delayMs: request.delayMs,
          continues: undefined,
          messages: [],
          pieces: () => texts.partsOf(request, own),
          maxTokens: isOutputInBody ? undefined : request.outputTokens,
          answer: NOT_REPEATED,
          cacheScope: 'run',
        };
      }),
    }),
  );
};

/** Digest of lengths, blocks, dependencies and delays: equal digests mean equal prompts. Hex. */
export const traceSha256 = ({ sessions }: Trace): string => {
  const hash = createHash('sha256');
  for (const { requests } of sessions)
    for (const { inputTokens, outputTokens, blocks, after, delayMs } of requests)
      hash.update(`${inputTokens} ${outputTokens} ${blocks.join(',')} ${after.join(',')} ${delayMs}\n`);
  return hash.digest('hex');
};

const NOT_REPEATED = { kind: 'live' } as const;
