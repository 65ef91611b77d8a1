import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import {
  answeredNonce,
  CHECK_BYTES,
  checkKey,
  encodeAnswer,
  encodeQuestion,
  isAnswerOf,
  NONCE_BYTES,
  readQuestion,
} from '../../../src/mesh/reachability/check-message.ts';

const KEY = checkKey(new Uint8Array(32).fill(1));
const OTHER_KEY = checkKey(new Uint8Array(32).fill(2));
const NODE = nodeId('a'.repeat(26));
const OTHER_NODE = nodeId('b'.repeat(26));
const question = { nonce: new Uint8Array(randomBytes(NONCE_BYTES)), key: KEY };

describe('a question of reachability', () => {
  it('is read under its key, whichever of the accepted ones that is', () => {
    const bytes = encodeQuestion(question);
    expect(readQuestion(bytes, [OTHER_KEY, KEY])).toEqual(question);
  });

  it('of a stranger is none', () => {
    expect(readQuestion(encodeQuestion({ ...question, key: OTHER_KEY }), [KEY])).toBeUndefined();
  });

  it('is as long as its answer, so that nobody multiplies traffic by it', () => {
    expect(encodeAnswer(question, NODE).length).toBe(encodeQuestion(question).length);
  });

  it('carries no id and no other byte twice: two questions share only their first four bytes', () => {
    const other = { ...question, nonce: new Uint8Array(randomBytes(NONCE_BYTES)) };
    const [one, two] = [encodeQuestion(question), encodeQuestion(other)];
    expect(Buffer.from(one).includes(NODE.slice(0, 8))).toBe(false);
    expect(one.slice(0, 4)).toEqual(two.slice(0, 4));
    expect(one.slice(4, 20)).not.toEqual(two.slice(4, 20));
  });

  it('is not read out of anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: CHECK_BYTES * 2 }), bytes => {
        expect(readQuestion(bytes, [KEY])).toBeUndefined();
      }),
    );
  });

  it('with one bit changed is none', () => {
    const bytes = encodeQuestion(question);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Uint8Array.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(readQuestion(changed, [KEY]), `bit ${bit}`).toBeUndefined();
    }
  });
});

describe('an answer of reachability', () => {
  it('names its question and fits the node that gave it alone', () => {
    const bytes = encodeAnswer(question, NODE);
    expect(answeredNonce(bytes)).toEqual(question.nonce);
    expect(isAnswerOf(bytes, question, NODE)).toBe(true);
    expect(isAnswerOf(bytes, question, OTHER_NODE)).toBe(false);
    expect(isAnswerOf(bytes, { ...question, key: OTHER_KEY }, NODE)).toBe(false);
  });

  it('cannot be made of the question: what is sent back as it came answers nothing', () => {
    const echo = encodeQuestion(question);
    expect(answeredNonce(echo)).toBeUndefined();
    echo.set(encodeAnswer(question, NODE).slice(0, 4));
    expect(isAnswerOf(echo, question, NODE)).toBe(false);
  });
});
