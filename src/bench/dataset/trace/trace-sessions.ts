// A trace of agents as sessions: each conversation with its subagents is one session, whose turns wait for the same
// requests as when they were recorded, and then as long as the agent did, divided by the speed. A turn sends its
// whole recorded prompt: it repeats the blocks of earlier turns, as the agent's did, and contains no answer of the
// server.

import { createHash } from 'node:crypto';
import type { Session, Turn } from '../session.ts';
import type { WordCosts } from '../word-costs.ts';
import type { Trace, TraceSession } from './read-trace.ts';
import { type ReplayPace, ReplayTimes } from './replay-times.ts';
import type { Prime } from './trace-lanes.ts';
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
  { sessions }: Pick<Trace, 'sessions'>,
  {
    costs,
    seed,
    isOutputInBody,
    nonceOf,
  }: {
    readonly costs: WordCosts;
    readonly seed: number;
    readonly isOutputInBody: boolean;
    readonly nonceOf: 'run' | 'session';
  },
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
          cacheScope: nonceOf,
          ...(nonceOf === 'session' ? { piecesBeforeNonce: request.commonBlocks ?? 0 } : {}),
        };
      }),
    }),
  );
};

/** A prompt in the name of a session, whose nonce is between its two parts. */
export interface PrimeText {
  readonly session: number;
  readonly piecesBeforeNonce: number;
  readonly beforeNonce: string;
  readonly afterNonce: string;
}

/** They share with the turns of their sessions what these repeat of them. */
export const primeTexts = (
  primes: readonly Prime[],
  { costs, seed }: { readonly costs: WordCosts; readonly seed: number },
): readonly PrimeText[] => {
  const texts = new TraceTexts(costs, seed);
  return primes.map(({ session, request }, index) => {
    // Numbers of turns are not negative.
    const parts = texts.partsOf(request, -1 - index);
    const { commonBlocks: piecesBeforeNonce = 0 } = request;
    return {
      session,
      piecesBeforeNonce,
      beforeNonce: parts.slice(0, piecesBeforeNonce).join(''),
      afterNonce: parts.slice(piecesBeforeNonce).join(''),
    };
  });
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
