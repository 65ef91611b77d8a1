// Tabs that look at one stream, without a browser: what each receives, and when the stream is opened again.

import { describe, expect, test } from 'vitest';
import type { StreamListener, StreamText, Tab, ToTab } from '../../../dashboard/src/stream/port.ts';
import { PAST_CHARACTERS_MAX, SharedStream } from '../../../dashboard/src/stream/shared-stream.ts';

describe('a tab that looks at the stream', () => {
  test('receives the texts of the daemon as they are, whether they can be read or not', () => {
    const { stream, daemon } = opened();
    const tab = new ReadingTab();
    stream.receive(tab, { kind: 'watch', scope: '' });
    daemon.connect({ kind: 'snapshot', text: 'not JSON' }, { kind: 'batch', text: '{' });
    expect(tab.texts()).toEqual(['snapshot not JSON', 'batch {']);
    expect(daemon.opened).toBe(1);
  });

  test('receives everything since the snapshot if it comes later, from the same connection', () => {
    const { stream, daemon } = opened();
    stream.receive(new ReadingTab(), { kind: 'watch', scope: '' });
    daemon.connect({ kind: 'snapshot', text: 'one' }, { kind: 'batch', text: 'two' });
    const later = new ReadingTab();
    stream.receive(later, { kind: 'watch', scope: '' });
    daemon.send({ kind: 'batch', text: 'three' });
    expect(later.texts()).toEqual(['snapshot one', 'batch two', 'batch three']);
    expect(later.received.map(({ kind }) => kind)).toEqual(['past', 'link', 'batch']);
    expect(daemon.opened).toBe(1);
  });

  test('receives nothing while it is hidden, and everything when it looks again', () => {
    const { stream, daemon } = opened();
    const tab = new ReadingTab();
    stream.receive(tab, { kind: 'watch', scope: '' });
    daemon.connect({ kind: 'snapshot', text: 'one' });
    stream.receive(tab, { kind: 'rest' });
    daemon.send({ kind: 'batch', text: 'two' });
    expect(tab.texts()).toEqual(['snapshot one']);
    stream.receive(tab, { kind: 'watch', scope: '' });
    expect(tab.texts()).toEqual(['snapshot one', 'snapshot one', 'batch two']);
  });

  test('receives nothing of a connection that was replaced: each begins with all that a reader needs', () => {
    const { stream, daemon } = opened();
    stream.receive(new ReadingTab(), { kind: 'watch', scope: 'view=fleet' });
    daemon.connect({ kind: 'fleet', text: 'old' }, { kind: 'fleet', text: 'older change' });
    daemon.connect({ kind: 'fleet', text: 'new' });
    const later = new ReadingTab();
    stream.receive(later, { kind: 'watch', scope: 'view=fleet' });
    expect(later.texts()).toEqual(['fleet new']);
  });

  test('is given a new connection if more has arrived than is stored for it, which every tab follows', () => {
    const { stream, daemon } = opened();
    const first = new ReadingTab();
    stream.receive(first, { kind: 'watch', scope: '' });
    daemon.connect({ kind: 'snapshot', text: 'one' });
    daemon.send({ kind: 'batch', text: 'x'.repeat(PAST_CHARACTERS_MAX) });
    const inTime = new ReadingTab();
    stream.receive(inTime, { kind: 'watch', scope: '' });
    expect(inTime.texts()).toHaveLength(2);
    daemon.send({ kind: 'batch', text: 'y' });
    const [late, later] = [new ReadingTab(), new ReadingTab()];
    stream.receive(late, { kind: 'watch', scope: '' });
    stream.receive(later, { kind: 'watch', scope: '' });
    expect(late.texts()).toEqual([]);
    expect(daemon.opened).toBe(2);
    daemon.connect({ kind: 'snapshot', text: 'again' });
    for (const tab of [first, late, later]) expect(tab.texts().at(-1)).toBe('snapshot again');
  });
});

describe('a text that no tab can read', () => {
  test('opens the stream again, once for all tabs that report it', () => {
    const { stream, daemon } = opened();
    const tabs = [new ReadingTab(), new ReadingTab()];
    for (const tab of tabs) stream.receive(tab, { kind: 'watch', scope: '' });
    daemon.connect({ kind: 'snapshot', text: 'damaged' });
    for (const tab of tabs) stream.receive(tab, { kind: 'unreadable', code: 'malformed', reason: '' });
    expect(daemon.opened).toBe(2);
    daemon.connect({ kind: 'snapshot', text: 'damaged again' });
    for (const tab of tabs) stream.receive(tab, { kind: 'unreadable', code: 'malformed', reason: '' });
    expect(daemon.opened).toBe(3);
  });

  test('of another version ends the stream, and every tab shows why', () => {
    const { stream, daemon } = opened();
    const tabs = [new ReadingTab(), new ReadingTab()];
    for (const tab of tabs) stream.receive(tab, { kind: 'watch', scope: '' });
    daemon.connect({ kind: 'snapshot', text: 'newer' });
    const [one] = tabs;
    if (one !== undefined) stream.receive(one, { kind: 'unreadable', code: 'version', reason: 'reload' });
    expect(daemon.isStopped).toBe(true);
    for (const tab of tabs)
      expect(tab.received.at(-1)).toMatchObject({
        kind: 'link',
        link: { kind: 'outdated', reason: 'reload' },
      });
  });
});

const opened = () => {
  const daemon = new Connections();
  return { daemon, stream: new SharedStream(listener => daemon.listen(listener)) };
};

/** The other end of the one stream: counts how often it was opened, and sends. */
class Connections {
  opened = 0;
  isStopped = false;
  #listener: StreamListener | undefined;

  listen(listener: StreamListener) {
    this.#listener = listener;
    const open = (): void => {
      this.opened += 1;
    };
    return {
      start: open,
      restart: open,
      retry: () => undefined,
      stop: () => {
        this.isStopped = true;
      },
    };
  }

  connect(...texts: readonly StreamText[]): void {
    for (const [index, text] of texts.entries()) this.#send(text, index === 0);
  }

  send(text: StreamText): void {
    this.#send(text, false);
  }

  #send(text: StreamText, isFirst: boolean): void {
    this.#listener?.link({ kind: 'open', lastMessageAtMs: performance.now() });
    this.#listener?.text(text, isFirst);
  }
}

class ReadingTab implements Tab {
  readonly received: ToTab[] = [];

  post(message: ToTab): void {
    this.received.push(message);
  }

  texts(): readonly string[] {
    return this.received.flatMap(message => {
      if (message.kind === 'past') return message.texts.map(({ kind, text }) => `${kind} ${text}`);
      return 'text' in message ? [`${message.kind} ${message.text}`] : [];
    });
  }
}
