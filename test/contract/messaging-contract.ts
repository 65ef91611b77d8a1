// What every transport must do. Each adapter's test calls it with a way to open both ends.

import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type MessageCodec, PAYLOAD_BYTES_MAX } from '../../src/messaging/codec.ts';
import { MessagingError } from '../../src/messaging/messaging-error.ts';
import {
  LOSSLESS,
  type MessagePublisher,
  NEWEST_WINS,
  type PublisherOptions,
} from '../../src/messaging/publisher.ts';
import {
  EVERY_MESSAGE,
  type MessageSubscriber,
  NEWEST_MESSAGE,
  type SubscriberOptions,
} from '../../src/messaging/subscriber.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';

export interface Note {
  readonly topic: string;
  readonly text: string;
}

export interface Transport extends AsyncDisposable {
  publisher(options?: Partial<PublisherOptions>, codec?: MessageCodec<Note>): Promise<MessagePublisher<Note>>;
  subscriber(
    options?: Partial<SubscriberOptions>,
    codec?: MessageCodec<Note>,
  ): Promise<MessageSubscriber<Note>>;
}

export const describeMessaging = (name: string, open: () => Promise<Transport>): void => {
  describe(`${name} carries messages`, () => {
    test('in order, none missing, from a handshake to the last', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      await using subscriber = await transport.subscriber();
      await together(publisher, subscriber);
      const reading = readUntilLast(subscriber);
      for (let index = 0; index < SMALL_COUNT; index += 1) expect(publisher.publish(note(index))).toBe(true);
      publisher.publish(LAST);
      const texts = await reading;
      expect(texts).toEqual(Array.from({ length: SMALL_COUNT }, (_, index) => `${index}`));
      expect(publisher.droppedCount).toBe(0);
    });

    test('to a subscriber that came before the publisher', async () => {
      await using transport = await open();
      await using subscriber = await transport.subscriber();
      await using publisher = await transport.publisher();
      await together(publisher, subscriber);
      publisher.publish(note(1));
      publisher.publish(LAST);
      expect(await readUntilLast(subscriber)).toEqual(['1']);
    });

    test('to each of several subscribers, and counts them', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      const subscribers = await Promise.all([1, 2, 3].map(() => transport.subscriber()));
      await publisher.waitForSubscribers(3, soon());
      publisher.publish(note(7));
      publisher.publish(LAST);
      expect(await Promise.all(subscribers.map(readUntilLast))).toEqual([['7'], ['7'], ['7']]);
      expect(publisher.subscriberCount).toBe(3);
      await Promise.all(subscribers.map(subscriber => subscriber.close()));
      while (publisher.subscriberCount > 0) await turn();
    });

    test('of the wanted topics only', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      await using subscriber = await transport.subscriber({ topic: 'sample.' });
      await together(publisher, subscriber);
      const topics = ['sample.issued', 'session.started', 'sample', 'sample.complete', 'x'.repeat(40)];
      for (const topic of topics) publisher.publish({ topic, text: topic });
      publisher.publish({ ...LAST, topic: 'sample.last' });
      expect(await readUntilLast(subscriber)).toEqual(['sample.issued', 'sample.complete']);
    });

    test('of a mebibyte and of nothing', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      await using subscriber = await transport.subscriber();
      await together(publisher, subscriber);
      const large = 'é'.repeat(MEBIBYTE / 2);
      const reading = readUntilLast(subscriber);
      for (let index = 0; index < 20; index += 1) publisher.publish({ topic: 'note', text: large });
      publisher.publish({ topic: 'note', text: '' });
      publisher.publish(LAST);
      const texts = await reading;
      expect(texts.length).toBe(21);
      expect(texts.slice(0, 20).every(text => text === large)).toBe(true);
      expect(texts[20]).toBe('');
    });
  });

  describe(`${name} is bounded`, () => {
    test('holds what a subscriber that never reads leaves, then drops the new and counts it', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher({ highWaterMark: 4, queueBytesMax: 2 * MEBIBYTE });
      await using subscriber = await transport.subscriber({ highWaterMark: 4 });
      await together(publisher, subscriber);
      let sent = 0;
      const text = 'x'.repeat(MEBIBYTE / 8);
      while (publisher.publish({ topic: 'note', text: `${sent} ${text}` })) {
        sent += 1;
        await turn();
      }
      expect(publisher.droppedCount).toBe(1);
      expect(publisher.queuedBytes).toBeLessThanOrEqual(2 * MEBIBYTE);
      expect(sent).toBeLessThan(200);
      for (let index = 0; index < 9; index += 1) publisher.publish({ topic: 'note', text });
      // A subscriber may leave room for a moment, while the first of its messages are on their way.
      expect(publisher.droppedCount).toBeGreaterThan(1);
      const dropped = publisher.droppedCount;
      const reading = readCount(subscriber, sent + 10 - dropped);
      expect((await reading).slice(0, sent).map(received => Number.parseInt(received, 10))).toEqual(
        Array.from({ length: sent }, (_, index) => index),
      );
    });

    test('does not hold back for a subscriber that never reads where newest wins', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher({ ...NEWEST_WINS, queueBytesMax: 4 * MEBIBYTE });
      await using stuck = await transport.subscriber({ highWaterMark: 2 });
      await using reader = await transport.subscriber(NEWEST_MESSAGE);
      await publisher.waitForSubscribers(2, soon());
      await stuck.ready(soon());
      const reading = readUntilLast(reader);
      const text = 'x'.repeat(MEBIBYTE / 4);
      for (let index = 0; index < 100; index += 1) {
        expect(publisher.publish({ topic: 'note', text: `${index} ${text}` })).toBe(true);
        while (publisher.queuedBytes > 0) await turn();
      }
      // A transport that drops may drop the last one too: it is repeated, as snapshots are.
      const repeated = setInterval(() => publisher.publish(LAST), 5);
      await reading.finally(() => clearInterval(repeated));
      expect(publisher.droppedCount).toBe(0);
    });

    test('keeps the newest for a reader that conflates', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      await using slow = await transport.subscriber(NEWEST_MESSAGE);
      await using quick = await transport.subscriber();
      await publisher.waitForSubscribers(2, soon());
      const reading = readUntilLast(quick);
      for (let index = 0; index < 500; index += 1) publisher.publish(note(index));
      publisher.publish(LAST);
      await reading;
      // The end comes behind everything else, and is confirmed.
      await publisher.close(20_000);
      expect(await readUntilLast(slow)).toEqual([]);
    });
  });

  describe(`${name} shakes hands`, () => {
    test('and waits no longer than its limit', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      await expect(publisher.waitForSubscribers(1, AbortSignal.abort(new Error('enough')))).rejects.toThrow(
        'enough',
      );
      await using subscriber = await transport.subscriber();
      await together(publisher, subscriber);
      const controller = new AbortController();
      const second = publisher.waitForSubscribers(2, controller.signal);
      controller.abort(new Error('only one'));
      await expect(second).rejects.toThrow('only one');
    });

    test('not with a publisher that is not there', async () => {
      await using transport = await open();
      await using subscriber = await transport.subscriber();
      const controller = new AbortController();
      const ready = subscriber.ready(controller.signal);
      controller.abort(new Error('nobody'));
      await expect(ready).rejects.toThrow('nobody');
      const closed = subscriber.ready(soon());
      await subscriber.close();
      await expect(closed).rejects.toBeInstanceOf(MessagingError);
    });

    test('and rejects those who wait if the publisher closes', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      const waiting = publisher.waitForSubscribers(1, soon());
      const refused = expect(waiting).rejects.toBeInstanceOf(MessagingError);
      await publisher.close(0);
      await refused;
    });

    test('so that nothing published after it is missing', async () => {
      for (let round = 0; round < 20; round += 1) {
        await using transport = await open();
        await using publisher = await transport.publisher();
        const opening = transport.subscriber();
        for (let index = 0; index < 50; index += 1) publisher.publish(note(-1));
        await using subscriber = await opening;
        await subscriber.ready(soon());
        publisher.publish(note(round));
        publisher.publish(LAST);
        const texts = await readUntilLast(subscriber);
        expect(texts.at(-1)).toBe(`${round}`);
      }
    });
  });

  describe(`${name} closes`, () => {
    test('when the subscribers have what was queued', async () => {
      await using transport = await open();
      const publisher = await transport.publisher();
      await using subscriber = await transport.subscriber();
      await together(publisher, subscriber);
      const reading = readCount(subscriber, 5_000);
      for (let index = 0; index < 5_000; index += 1) publisher.publish(note(index));
      await publisher.close(20_000);
      expect(publisher.queuedBytes).toBe(0);
      expect(publisher.droppedCount).toBe(0);
      expect((await reading).at(-1)).toBe('4999');
    });

    test('in bounded time when one never reads, and counts what it could not give', async () => {
      await using transport = await open();
      const publisher = await transport.publisher({ highWaterMark: 2 });
      await using subscriber = await transport.subscriber({ highWaterMark: 2 });
      await together(publisher, subscriber);
      const text = 'x'.repeat(MEBIBYTE / 4);
      for (let index = 0; index < 40; index += 1) publisher.publish({ topic: 'note', text });
      await publisher.close(50);
      expect(publisher.droppedCount).toBeGreaterThan(0);
    });

    test('twice as once, at both ends', async () => {
      await using transport = await open();
      const publisher = await transport.publisher();
      const subscriber = await transport.subscriber();
      await together(publisher, subscriber);
      await Promise.all([publisher.close(1_000), publisher.close(1_000)]);
      await Promise.all([subscriber.close(), subscriber.close()]);
      await publisher.close(0);
      await subscriber.close();
      expect(publisher.publish(note(1))).toBe(false);
      expect(publisher.droppedCount).toBe(1);
      expect(await readCount(subscriber, 1)).toEqual([]);
    });

    test('under a reader that waits: its loop ends', async () => {
      await using transport = await open();
      const subscriber = await transport.subscriber();
      const reading = readCount(subscriber, 1);
      await turn();
      await subscriber.close();
      expect(await reading).toEqual([]);
    });
  });

  describe(`${name} distinguishes bad bytes from bad code`, () => {
    test('asks the codec about payloads that cannot be decoded, and counts them', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      await using subscriber = await transport.subscriber();
      await together(publisher, subscriber);
      for (const text of ['1', 'undecodable: reported', '2', 'undecodable: silent', '3'])
        publisher.publish({ topic: 'note', text });
      publisher.publish(LAST);
      expect(await readUntilLast(subscriber)).toEqual(['1', 'instead of undecodable: reported', '2', '3']);
      expect(subscriber.undecodableCount).toBe(2);
    });

    test('rejects the reading when the codec throws anything else', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      await using subscriber = await transport.subscriber();
      await together(publisher, subscriber);
      publisher.publish({ topic: 'note', text: 'a bug' });
      await expect(readUntilLast(subscriber)).rejects.toThrow(TypeError);
    });

    test('refuses a payload past the bound of a message, at once, and carries one that is at it', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      await using subscriber = await transport.subscriber();
      await together(publisher, subscriber);
      const text = 'x'.repeat(PAYLOAD_BYTES_MAX);
      expect(() => publisher.publish({ topic: 'note', text: `${text}x` })).toThrow(RangeError);
      publisher.publish({ topic: 'note', text });
      publisher.publish(LAST);
      expect((await readUntilLast(subscriber)).map(received => received.length)).toEqual([PAYLOAD_BYTES_MAX]);
    });

    test('refuses topics that no frame can hold, at once', async () => {
      await using transport = await open();
      await using publisher = await transport.publisher();
      for (const topic of ['', 'x'.repeat(41), 'grün', 'a\u0000b', '~end'])
        expect(() => publisher.publish({ topic, text: '' })).toThrow(RangeError);
      expect(publisher.queuedBytes).toBe(0);
    });
  });
};

export const noteCodec: MessageCodec<Note> = {
  encode: ({ topic, text }) => ({ topic, payload: Buffer.from(text) }),
  decode: payload => {
    const text = Buffer.from(payload).toString('utf8');
    if (text.startsWith('undecodable')) throw new DecodeError(text);
    if (text === 'a bug') throw new TypeError('a bug in the codec');
    return { topic: '', text };
  },
  onDecodeError: (_payload, error) =>
    error.message.endsWith('reported') ? { topic: '', text: `instead of ${error.message}` } : undefined,
};

export const withDefaults = {
  publisher: (options: Partial<PublisherOptions> = {}): PublisherOptions => ({ ...LOSSLESS, ...options }),
  subscriber: (options: Partial<SubscriberOptions> = {}): SubscriberOptions => ({
    ...EVERY_MESSAGE,
    ...options,
  }),
};

const note = (index: number): Note => ({ topic: 'note', text: `${index}` });

const together = async (
  publisher: MessagePublisher<Note>,
  subscriber: MessageSubscriber<Note>,
): Promise<void> => {
  await Promise.all([subscriber.ready(soon()), publisher.waitForSubscribers(1, soon())]);
};

const readUntilLast = async (subscriber: MessageSubscriber<Note>): Promise<string[]> => {
  const texts: string[] = [];
  for await (const { text } of subscriber.items) {
    if (text === LAST.text) return texts;
    texts.push(text);
  }
  throw new Error('the subscriber was closed before the last message');
};

const readCount = async (subscriber: MessageSubscriber<Note>, count: number): Promise<string[]> => {
  const texts: string[] = [];
  if (count === 0) return texts;
  for await (const { text } of subscriber.items) {
    texts.push(text);
    if (texts.length === count) break;
  }
  return texts;
};

const soon = (): AbortSignal => AbortSignal.timeout(25_000);

const LAST: Note = { topic: 'note', text: 'last' };
const MEBIBYTE: number = 1024 * 1024;
const SMALL_COUNT = 100_000;
