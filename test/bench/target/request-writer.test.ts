import { expect, test } from 'vitest';
import { userPrompt } from '../../../src/bench/dataset/prompt.ts';
import { SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import { type PreparedRequest, RequestWriter } from '../../../src/bench/target/http1/request-writer.ts';
import { requestBodies } from '../../../src/bench/target/request-bodies.ts';

const PROMPTS = ['first', 'second one', 'third'].map((text, index) => userPrompt(text, 100 + index));

/** What each sample sends: the text of its prompt and its limit. */
const sentOf = (samples: number, { warmups, warmupBodies }: { warmups: number; warmupBodies: number }) => {
  const bodies = requestBodies(PROMPTS, {
    api: SERVER_APIS[0],
    model: 'm',
    isStreaming: true,
    hasNonce: false,
    noncePrefix: '0badcafe',
    warmupBodies,
  });
  const writer = new RequestWriter(['content-length: '], bodies, warmups);
  const into: PreparedRequest = { sampleId: -1, promptIndex: -1, bytes: Buffer.alloc(0) };
  return Array.from({ length: samples }, (_, sample) => {
    writer.prepare(into, sample, 0);
    const text = into.bytes.toString();
    const { messages, max_tokens: limit } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
    return `${messages[0].content} ${limit}`;
  });
};

test('the first measured request sends the first prompt, however many warmed up', () => {
  for (const warmups of [0, 1, 2, 5]) {
    const sent = sentOf(warmups + 4, { warmups, warmupBodies: 2 });
    expect(sent.slice(warmups)).toEqual(['first 100', 'second one 101', 'third 102', 'first 100']);
    expect(sent.slice(0, warmups)).toEqual(
      ['first 16', 'second one 16', 'first 16', 'second one 16', 'first 16'].slice(0, warmups),
    );
  }
});

test('a warm-up without bodies of its own asks as the run does', () => {
  expect(sentOf(3, { warmups: 2, warmupBodies: 0 })).toEqual(['first 100', 'second one 101', 'first 100']);
});
