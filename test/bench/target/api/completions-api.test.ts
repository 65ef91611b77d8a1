// What is specific to completions, in addition to the contract.

import { expect, test } from 'vitest';
import { userPrompt } from '../../../../src/bench/dataset/prompt.ts';
import { completionsApi } from '../../../../src/bench/target/api/completions-api.ts';
import { requestBodies } from '../../../../src/bench/target/request-bodies.ts';
import { NO_REQUEST_FIELDS } from '../../../../src/bench/target/request-fields.ts';
import { startMock } from '../../../../src/mock/mock-server.ts';
import { loadPlan } from '../../load/load-plan.ts';
import { runLoad } from '../../threads/run-load.ts';

const SETTINGS = { model: 'm', isStreaming: true, nonce: undefined, fields: NO_REQUEST_FIELDS };

test('the text of a prompt is the prompt, without a role around it', () => {
  const body = completionsApi.body(userPrompt('Once "upon"', 9), SETTINGS);
  expect(body.kind === 'ok' && JSON.parse(body.value.after)).toEqual({
    model: 'm',
    prompt: 'Once "upon"',
    max_tokens: 9,
    stream: true,
    stream_options: { include_usage: true },
  });
});

test.each([
  ['several messages', [userPrompt('a').messages[0], userPrompt('b').messages[0]]],
  ['parts', [{ role: 'user', content: [{ type: 'text', text: 'a' }] }]],
])('a prompt of %s cannot be asked, and is named by its number', (_, given) => {
  const messages = given.flatMap(message => (message === undefined ? [] : [message]));
  const prompts = [userPrompt('fine'), { messages, maxTokens: undefined }];
  const request = () =>
    requestBodies(prompts, {
      api: completionsApi,
      model: 'm',
      isStreaming: true,
      hasNonce: true,
      noncePrefix: '0badcafe',
    });
  expect(request).toThrow(/^prompt 2: it is a conversation.* --api completions/);
});

test('threads receive its name, and use it for requests and replies', async () => {
  await using mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 5 });
  const address = { host: mock.host, port: mock.port };
  const limits = { samplesMax: 4, durationNs: undefined };
  const { samples } = await runLoad(loadPlan({ ...address, api: 'completions', limits }));
  expect(samples.map(({ outcome, outputTokens, chunkCount }) => [outcome, outputTokens, chunkCount])).toEqual(
    Array(4).fill(['completed', 5, 5]),
  );
});
