import { expect, test } from 'vitest';
import type { TraceSession } from '../../../src/bench/dataset/trace/read-trace.ts';
import type { TraceRequest } from '../../../src/bench/dataset/trace/trace.ts';
import { primeTexts, traceSessions } from '../../../src/bench/dataset/trace/trace-sessions.ts';
import { WORDS_AS_TOKENS } from '../../../src/bench/dataset/word-costs.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { TurnWriter } from '../../../src/bench/target/http1/turn-writer.ts';
import { numberedNonce } from '../../../src/bench/target/request-bodies.ts';
import { NO_REQUEST_FIELDS } from '../../../src/bench/target/request-fields.ts';
import { nonceMark, sessionBodies } from '../../../src/bench/target/session-bodies.ts';

const request = (blocks: readonly number[], commonBlocks: number): TraceRequest => ({
  atMs: 0,
  tookMs: 0,
  after: [],
  delayMs: 0,
  inputTokens: blocks.length * 64 + 20,
  outputTokens: 8,
  blocks,
  blockTokens: 64,
  commonBlocks,
  agent: 0,
});

const OPTIONS = { costs: WORDS_AS_TOKENS, seed: 1 };
const PREFIX = '0badcafe';

/** The prompts that a load thread sends for sessions by their number in the run. */
const promptsOf = (
  sessions: readonly TraceSession[],
  numbers: readonly number[],
  more: { readonly repeatFrom?: number; readonly firstSampleId?: number; readonly noncePrefix?: string } = {},
): readonly string[] => {
  const bodies = sessionBodies(
    traceSessions({ sessions }, { ...OPTIONS, isOutputInBody: false, nonceOf: 'session' }),
    {
      api: serverApi('chat'),
      model: 'm',
      isStreaming: true,
      fields: NO_REQUEST_FIELDS,
      noncePrefix: PREFIX,
      ...more,
    },
  );
  const writer = new TurnWriter(['POST / HTTP/1.1\r\ncontent-length: '], bodies);
  return numbers.map(session => {
    const into = { bytes: Buffer.alloc(0), sampleId: 0, promptIndex: 0 };
    writer.prepare(into, {
      target: 0,
      sampleId: 0,
      session,
      turn: 0,
      firstSampleId: more.firstSampleId ?? 0,
      answer: () => undefined,
    });
    const body: unknown = JSON.parse(into.bytes.toString().split('\r\n\r\n')[1] ?? '');
    return JSON.stringify(body).match(/"content":"([^"]*)"/)?.[1] ?? '';
  });
};

const session = (id: string, ...blocks: readonly number[]): TraceSession => ({
  id,
  startMs: undefined,
  requests: [request(blocks, 2)],
});

const nonces = (prompts: readonly string[]): readonly string[] =>
  prompts.map(prompt => /\[([\da-f]{16})\]/.exec(prompt)?.[1] ?? '');

test('conversations share what precedes the nonce of each session, and nothing after it', () => {
  const [one = '', other = ''] = promptsOf([session('a', 1, 2, 3), session('b', 1, 2, 3)], [0, 1]);
  const at = one.indexOf(' [');
  expect(at).toBeGreaterThan(200);
  expect(one.slice(0, at)).toBe(other.slice(0, at));
  expect(one.slice(at, at + 20)).not.toBe(other.slice(at, at + 20));
});

test('a conversation that is repeated has another nonce each time; those that are played once are not repeated', () => {
  const sessions = [session('lane', 1, 2, 9), session('a', 1, 2, 3), session('b', 1, 2, 4)];
  const prompts = promptsOf(sessions, [0, 1, 2, 3, 4], { repeatFrom: 1 });
  expect(new Set(nonces(prompts)).size).toBe(5);
  const text = (prompt: string | undefined): string => prompt?.replace(/\[[\da-f]+\]/, '') ?? '';
  expect(text(prompts[3])).toBe(text(prompts[1]));
  expect(text(prompts[4])).toBe(text(prompts[2]));
});

test('a prime begins as the turn that follows it in its session, nonce included', () => {
  const sessions = [session('a', 1, 2, 3, 4), session('b', 1, 2, 5, 6)];
  // Two primes before the first turn of a session.
  const turns = promptsOf(sessions, [0, 1], { firstSampleId: 2 });
  const primes = primeTexts(
    [
      { session: 0, request: request([1, 2, 3], 2) },
      { session: 1, request: request([1, 2, 5], 2) },
    ],
    OPTIONS,
  );
  for (const [index, { piecesBeforeNonce, beforeNonce, afterNonce }] of primes.entries()) {
    const mark = nonceMark(piecesBeforeNonce);
    const prompt = `${beforeNonce}${mark.before}${numberedNonce(PREFIX, 2 + index)}${mark.after}${afterNonce}`;
    // All blocks; what is the request's own comes after them.
    const shared = [...prompt].findIndex((sign, at) => sign !== turns[index]?.[at]);
    expect(shared).toBeGreaterThan(beforeNonce.length + 20 + 200);
  }
});
