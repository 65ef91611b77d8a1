import { expect, test } from 'vitest';
import { MessagingError } from '../../src/messaging/messaging-error.ts';
import { describeMessaging, noteCodec, withDefaults } from '../contract/messaging-contract.ts';
import { MemoryHub } from '../support/memory-hub.ts';

describeMessaging('the transport in memory', async () => {
  const hub = new MemoryHub();
  return {
    publisher: async (options, codec = noteCodec) =>
      hub.openPublisher('notes', codec, withDefaults.publisher(options)),
    subscriber: async (options, codec = noteCodec) =>
      hub.openSubscriber('notes', codec, withDefaults.subscriber(options)),
    [Symbol.asyncDispose]: async () => undefined,
  };
});

test('an endpoint has one publisher at a time', async () => {
  const hub = new MemoryHub();
  const first = hub.openPublisher('notes', noteCodec, withDefaults.publisher());
  expect(() => hub.openPublisher('notes', noteCodec, withDefaults.publisher())).toThrow(MessagingError);
  await first.close(0);
  await hub.openPublisher('notes', noteCodec, withDefaults.publisher()).close(0);
});
