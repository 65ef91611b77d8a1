import { expect, test } from 'vitest';
import { generateNodeKey } from '../../src/daemon/node-key.ts';
import { isSignedBy, NODE_KEYS_MAX, NodeKeys } from '../../src/wire/node-signature.ts';

const MESSAGE = Buffer.from('what was said');

test('a signature counts only with the key that made it, and only for those bytes', () => {
  const [one, other] = [generateNodeKey(), generateNodeKey()];
  const good = one.sign(MESSAGE);
  expect(isSignedBy(one.publicKey, MESSAGE, good)).toBe(true);
  expect(isSignedBy(other.publicKey, MESSAGE, good)).toBe(false);
  expect(isSignedBy(one.publicKey, Buffer.from('something else'), good)).toBe(false);
  for (const length of [0, 31, 33]) expect(isSignedBy(new Uint8Array(length), MESSAGE, good)).toBe(false);
  for (const length of [0, 63, 65])
    expect(isSignedBy(one.publicKey, MESSAGE, new Uint8Array(length))).toBe(false);
});

test('keys that are held ready report the same, at the first time and at every other', () => {
  const keys = new NodeKeys();
  const [one, other] = [generateNodeKey(), generateNodeKey()];
  const good = one.sign(MESSAGE);
  for (let time = 0; time < 2; time += 1) {
    expect(keys.isSignedBy(one.nodeId, one.publicKey, MESSAGE, good)).toBe(true);
    expect(keys.isSignedBy(one.nodeId, one.publicKey, MESSAGE, other.sign(MESSAGE))).toBe(false);
    expect(keys.isSignedBy(one.nodeId, other.publicKey, MESSAGE, other.sign(MESSAGE))).toBe(false);
    expect(keys.isSignedBy(other.nodeId, one.publicKey, MESSAGE, good)).toBe(false);
    expect(keys.isSignedBy(one.nodeId, new Uint8Array(32), MESSAGE, good)).toBe(false);
    expect(keys.isSignedBy(one.nodeId, new Uint8Array(0), MESSAGE, good)).toBe(false);
  }
});

test('more nodes than are cached are still distinguished', () => {
  const keys = new NodeKeys();
  const nodes = Array.from({ length: NODE_KEYS_MAX + 2 }, generateNodeKey);
  for (const node of [...nodes, ...nodes.slice(0, 3)])
    expect(keys.isSignedBy(node.nodeId, node.publicKey, MESSAGE, node.sign(MESSAGE))).toBe(true);
});
