// What every adapter of a server's API guarantees, for any request. The other end is the mock with that API;
// a request goes the whole way, from a prompt over a socket to an outcome.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiReply, ServerApi } from '../../src/bench/target/api/server-api.ts';
import { queryServer } from '../../src/bench/target/query-server.ts';
import { NO_REQUEST_FIELDS } from '../../src/bench/target/request-fields.ts';
import { endpointPath, modelsPath, parseTargetUrl } from '../../src/bench/target/target-url.ts';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';
import type { Failure } from '../../src/mock/failure.ts';
import { FAILURES } from '../../src/mock/failures.ts';
import { type Mock, startMock } from '../../src/mock/mock-server.ts';
import type { MockOptions } from '../../src/mock/mock-settings.ts';
import { expectFailure } from '../bench/load/expected-failure.ts';
import { loadPlan, type PlanOptions } from '../bench/load/load-plan.ts';
import { runHere } from '../bench/load/run-here.ts';
import { promptOfApi } from '../bench/prompt-of-api.ts';
import { pipeReply } from '../bench/target/reply-pipe.ts';
import { longCount } from '../support/counts.ts';
import { post, rawConnection, wholeReply } from '../support/raw-http.ts';

/** Failures that an API's own bytes show, or hide; those of the transport are the same for all. */
export const isOfTheReply = ({ name }: Failure): boolean =>
  /^(http-500|no-content|truncated-|malformed-|html|error-|empty-|gzip|slow-bytes)/.test(name);

export const describeServerApi = (api: ServerApi): void => {
  const streamings = api.canStream ? [true, false] : [false];
  const answerTokens = (count: number) => (api.writesAnswers ? count : NO_FIGURE);

  /** One request to a mock, the whole way. */
  const sampleOf = async (options: MockOptions, plan: Partial<PlanOptions> = {}) => {
    await using mock = await startMock({ ...QUICK, ...options });
    const { samples } = await runHere(loadPlan({ ...addressOf(mock), api: api.name, ...plan }));
    const [sample] = samples;
    if (sample === undefined) throw new Error('no sample came of it');
    return sample;
  };

  const targetOf = (url: string) => {
    const target = parseTargetUrl(url);
    if (target.kind === 'wrong') throw new Error(target.problem);
    return target.value;
  };

  const bodyOf = (prompt: string, more: { readonly isStreaming?: boolean; readonly nonce?: string } = {}) => {
    const fields = NO_REQUEST_FIELDS;
    const settings = { model: 'a "model"', isStreaming: false, nonce: undefined, fields, ...more };
    const body = api.body(promptOfApi(api.name, prompt, 7), settings);
    if (body.kind === 'wrong') throw new Error(body.problem);
    return body.value;
  };

  describe(`the server API ${api.name}`, () => {
    test('finds its endpoint and the list of models from the server, the root, or the endpoint itself', () => {
      for (const given of ['', '/', api.root, `${api.root}/`, `${api.root}${api.endpoint}`]) {
        const target = targetOf(`http://host/proxy${given}?key=k`);
        expect(endpointPath(target, api)).toBe(`/proxy${api.root}${api.endpoint}?key=k`);
        expect(modelsPath(target, api)).toBe(`/proxy${api.root}${api.models.path}?key=k`);
      }
    });

    test('learns from the server which model it has and what it is', async () => {
      await using mock = await startMock({ models: ['mine'] });
      const question = { target: targetOf(mock.url), headers: [], model: undefined, timeoutMs: 5_000 };
      const answer = await queryServer({ api, ...question, signal: new AbortController().signal });
      expect(answer).toMatchObject({
        model: 'mine',
        serverKind: 'Plimsoll mock',
        reported: [
          {
            from: `GET ${api.root}${api.models.path}`,
            facts: expect.arrayContaining([{ name: expect.stringMatching(/^(id|name)$/), value: 'mine' }]),
          },
        ],
        notices: [],
      });
    });

    test.each([null, 5, [], {}, { data: 5, models: 5 }, { models: '' }])(
      'reports why %j is no list of models',
      json => {
        expect(api.models.read(json)).toMatchObject({
          kind: 'unknown',
          reason: expect.stringContaining('list'),
        });
      },
    );

    test('writes a body that is JSON, with the prompt in it, for any prompt', () => {
      fc.assert(
        fc.property(fc.string({ minLength: 1, unit: 'binary' }), prompt => {
          const { before, after } = bodyOf(prompt);
          expect(before).toBe('');
          expect(textsIn(JSON.parse(after))).toContain(prompt);
        }),
      );
    });

    test('has the nonce at the very start of the prompt, and is JSON for any text there', () => {
      const plain = bodyOf('why?');
      const { before, after } = bodyOf('why?', { nonce: '0123456789abcdef' });
      expect(after.startsWith('0123456789abcdef')).toBe(true);
      expect(textsIn(JSON.parse(before + after))).toContain('[0123456789abcdef] why?');
      // Up to the prompt itself it is as without.
      expect(plain.after.startsWith(before.slice(0, before.lastIndexOf('"') + 1))).toBe(true);
    });

    test.each(streamings)('gets what the server reports it sent (streaming: %s)', async isStreaming => {
      const sample = await sampleOf({ outputTokens: 9 }, { isStreaming, content: 'one two three' });
      expect(sample).toMatchObject({ outcome: 'completed', failure: undefined });
      // Three words and the nonce.
      const inputTokens = WITHOUT_COUNTS.has(api.name) ? NO_FIGURE : 4;
      expect(sample).toMatchObject({ inputTokens, chunkCount: isStreaming ? 9 : 0 });
      expect(sample).toMatchObject(
        api.writesAnswers
          ? { outputTokens: 9, finishReason: 'stop' }
          : { outputTokens: NO_FIGURE, finishReason: 'other' },
      );
    });

    if (api.writesAnswers) {
      test('asks for as many tokens as the prompt allows', async () => {
        const sample = await sampleOf({ outputTokens: 9 }, { isStreaming: false, maxTokens: 4 });
        expect(sample).toMatchObject({ outcome: 'completed', outputTokens: 4, finishReason: 'length' });
      });
    }

    test('does not know how many tokens came where the server does not report it', async () => {
      for (const isStreaming of streamings) {
        const sample = await sampleOf({ usage: 'never' }, { isStreaming });
        expect(sample).toMatchObject({
          outcome: 'completed',
          inputTokens: NO_FIGURE,
          outputTokens: NO_FIGURE,
        });
      }
    });

    if (api.canStream) {
      test.each<[string, MockOptions]>([
        ['without a mark of the end', { hasDone: false }],
        ['with usage in any case', { usage: 'always' }],
        ['of long events with comments over several lines', SPREAD],
        ['of several tokens a chunk', { tokensPerChunk: 3 }],
      ])('reads a stream %s', async (_, options) => {
        const sample = await sampleOf({ outputTokens: 9, ...options });
        expect(sample).toMatchObject({ outcome: 'completed', outputTokens: 9, finishReason: 'stop' });
        expect(sample.chunkCount).toBe(options.tokensPerChunk === 3 ? 3 : 9);
      });

      test('reports in words of its own what a stream lacks that ended too early', async () => {
        const { failure } = await sampleOf({}, { model: 'mock-fail-truncated-no-done' });
        expect(failure?.detail).toBe(api.withoutEnd);
      });
    }

    test.each(streamings)('comes to the same wherever a reply is cut (streaming: %s)', async isStreaming => {
      await using mock = await startMock(QUICK);
      const bytes = await replyBytes(mock, api, isStreaming);
      const whole = pipeReply([bytes], { api, isStreaming });
      expect(whole).toMatchObject({
        outcome: 'completed',
        outputTokens: answerTokens(5),
        chunks: isStreaming ? 5 : 1,
      });
      for (let at = 0; at <= bytes.length; at += 1) {
        const cut = pipeReply([bytes.subarray(0, at), bytes.subarray(at)], { api, isStreaming });
        expect(cut, `cut at ${at}`).toEqual(whole);
      }
      for (let length = 0; length < bytes.length / 2; length += 1) {
        expect(pipeReply([bytes.subarray(0, length)], { api, isStreaming }).outcome).toBe('failed');
      }
    });

    describe.each(FAILURES.filter(isOfTheReply).map(failure => ({ name: failure.name, failure })))(
      'where the server fails by $name',
      ({ failure }) => {
        test.each(streamings)('accounts for it (streaming: %s)', async isStreaming => {
          await using mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 10 });
          const model = `mock-fail-${failure.name}`;
          const plan = loadPlan({ ...addressOf(mock), api: api.name, isStreaming, model });
          for (const sample of (await runHere(plan)).samples) expectFailure(sample, failure, isStreaming);
        });
      },
    );

    test('keeps nothing of one reply for the next', async () => {
      await using mock = await startMock(QUICK);
      const reply = api.newReply();
      const fresh = stateOf(api.newReply());
      const good = await documentOf(mock, api);
      for (const text of [good, '{"error":{"message":"no"}}', '42', '{']) {
        reply.document(text);
        expect(stateOf(reply)).not.toEqual(fresh);
        reply.reset();
        expect(stateOf(reply)).toEqual(fresh);
      }
      reply.document(good);
      expect(stateOf(reply)).toMatchObject({
        isDone: true,
        hasEnded: true,
        outputTokens: answerTokens(5),
        defect: undefined,
      });
    });

    test('reads any bytes at all, and finds what is wrong with what is no JSON object', () => {
      const reply = api.newReply();
      fc.assert(
        fc.property(fc.oneof(fc.string({ minLength: 1 }), fc.json()), fc.boolean(), (text, isError) => {
          reply.reset();
          const bytes = Buffer.from(text);
          reply.event(bytes, 0, bytes.length, isError);
          if (isError) expect(reply.defect?.kind).toBe('error-frame');
          reply.reset();
          reply.document(text);
          expect(reply.isDone).toBe(reply.defect === undefined);
        }),
        { numRuns: longCount(200, 20_000) },
      );
    });
  });
};

/** Whose form has no place for them. */
const WITHOUT_COUNTS: ReadonlySet<string> = new Set(['tei-rerank']);

const addressOf = ({ host, port }: Mock) => ({ host, port });

const stateOf = ({ hasEnded, isDone, finishReason, inputTokens, outputTokens, defect }: ApiReply) => ({
  hasEnded,
  isDone,
  finishReason,
  inputTokens,
  outputTokens,
  defect,
});

/** Every text at any depth. */
const textsIn = (json: unknown): readonly string[] => {
  if (typeof json === 'string') return [json];
  return typeof json === 'object' && json !== null ? Object.values(json).flatMap(textsIn) : [];
};

/** A healthy reply to the adapter's own body, as it comes from the socket. */
const replyBytes = async (mock: Mock, api: ServerApi, isStreaming: boolean): Promise<Buffer> => {
  const settings = { model: 'mock-model', isStreaming, nonce: undefined, fields: NO_REQUEST_FIELDS };
  const body = api.body(promptOfApi(api.name, 'why?'), settings);
  if (body.kind === 'wrong') throw new Error(body.problem);
  using connection = rawConnection(mock);
  connection.send(post(`${api.root}${api.endpoint}`, JSON.parse(body.value.after)));
  return await connection.until(received => wholeReply(received) !== undefined);
};

const documentOf = async (mock: Mock, api: ServerApi): Promise<string> => {
  const text = (await replyBytes(mock, api, false)).toString('utf8');
  return text.slice(text.indexOf('\r\n\r\n') + 4);
};

const QUICK = { ttftMs: 2, gapMs: 1, outputTokens: 5 };
const SPREAD = { eventBytes: 700, hasComments: true, hasMultiLineData: true, framing: 'crlf' } as const;
