import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { userPrompt } from '../../../src/bench/dataset/prompt.ts';
import { madeUpImages, madeUpPng, withImages } from '../../../src/bench/dataset/synthetic-images.ts';
import { chatApi } from '../../../src/bench/target/api/chat-api.ts';
import { messagesApi } from '../../../src/bench/target/api/messages-api.ts';
import { ollamaApi } from '../../../src/bench/target/api/ollama-api.ts';
import type { ServerApi } from '../../../src/bench/target/api/server-api.ts';
import { NO_REQUEST_FIELDS } from '../../../src/bench/target/request-fields.ts';
import { seededRandom } from '../../../src/core/random.ts';

test('a made-up picture is a PNG of its size, the same for a seed and no other', () => {
  const size = { width: 20, height: 9 };
  const png = madeUpPng(size, seededRandom(1));
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([20, 9]);
  const dataBytes = png.readUInt32BE(33);
  expect(png.toString('latin1', 37, 41)).toBe('IDAT');
  expect(inflateSync(png.subarray(41, 41 + dataBytes))).toHaveLength(9 * (1 + 20 * 3));
  expect(png.toString('latin1', png.length - 8, png.length - 4)).toBe('IEND');
  expect(madeUpPng(size, seededRandom(1))).toEqual(png);
  expect(madeUpPng(size, seededRandom(2))).not.toEqual(png);
});

const bodyOf = (api: ServerApi) => {
  const [prompt] = withImages(
    [userPrompt('why?', 5)],
    2,
    madeUpImages({ kind: 'made-up', width: 8, height: 8 }, 7),
  );
  const settings = { model: 'm', isStreaming: true, nonce: '0123456789abcdef', fields: NO_REQUEST_FIELDS };
  const body = api.body(prompt ?? userPrompt(''), settings);
  if (body.kind === 'wrong') throw new Error(body.problem);
  return JSON.parse(body.value.before + body.value.after).messages[0];
};

test('each API has pictures where it expects them, behind the text with its nonce', () => {
  expect(bodyOf(chatApi).content).toEqual([
    { type: 'text', text: '[0123456789abcdef]' },
    { type: 'text', text: 'why?' },
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) } },
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) } },
  ]);
  expect(bodyOf(messagesApi).content[2]).toEqual({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: expect.stringMatching(/^iVBOR/) },
  });
  expect(bodyOf(ollamaApi)).toMatchObject({
    content: '[0123456789abcdef] why?',
    images: [expect.stringMatching(/^iVBOR/), expect.stringMatching(/^iVBOR/)],
  });
});
