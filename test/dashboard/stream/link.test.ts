import { describe, expect, test } from 'vitest';
import {
  judgedAt,
  movedLink,
  RETRY_MS_MAX,
  retryDelayMs,
  STREAM_STALE_MS,
  type StreamLink,
  streamLinkView,
} from '../../../dashboard/src/stream/link.ts';

describe('the view of the link', () => {
  test('an open link that received data lately is live', () => {
    expect(streamLinkView({ kind: 'open', lastMessageAtMs: 1_000 }, 1_300)).toEqual({
      kind: 'live',
      lastMessageMs: 300,
    });
  });

  test('an open link is stale once it was silent for longer than the limit, not at the limit', () => {
    const link: StreamLink = { kind: 'open', lastMessageAtMs: 0 };
    expect(streamLinkView(link, STREAM_STALE_MS).kind).toBe('live');
    expect(streamLinkView(link, STREAM_STALE_MS + 1)).toEqual({
      kind: 'stale',
      lastMessageMs: STREAM_STALE_MS + 1,
    });
  });

  test('the limit is a setting', () => {
    expect(streamLinkView({ kind: 'open', lastMessageAtMs: 0 }, 501, 500).kind).toBe('stale');
  });

  test('a tick before the last word counts as no time at all', () => {
    expect(streamLinkView({ kind: 'open', lastMessageAtMs: 900 }, 500)).toEqual({
      kind: 'live',
      lastMessageMs: 0,
    });
  });

  test('a lost link reports since when and when it will be tried again', () => {
    const link: StreamLink = { kind: 'lost', sinceMs: 1_000, nextTryAtMs: 9_000, reason: 'too slow' };
    expect(streamLinkView(link, 5_000)).toEqual({
      kind: 'lost',
      lostMs: 4_000,
      nextTryMs: 4_000,
      reason: 'too slow',
    });
  });

  test('a lost link that is being tried has no next try', () => {
    const link: StreamLink = { kind: 'lost', sinceMs: 1_000, nextTryAtMs: undefined, reason: '' };
    expect(streamLinkView(link, 5_000)).toMatchObject({ nextTryMs: undefined });
  });
});

describe('the moment as of which sources are judged', () => {
  const open: StreamLink = { kind: 'open', lastMessageAtMs: 1_000 };

  test('is now while the stream delivers, and before there is one', () => {
    expect(judgedAt(open, 1_900)).toBe(1_900);
    expect(judgedAt({ kind: 'starting' }, 5_000)).toBe(5_000);
  });

  test('stays behind a stream that sends nothing, long before it is stale: no source is called late for it', () => {
    expect(streamLinkView(open, 9_000).kind).toBe('live');
    expect(judgedAt(open, 9_000)).toBe(3_000);
  });

  test('is when the cluster was last seen once the stream is stale or lost', () => {
    expect(judgedAt(open, 1_001 + STREAM_STALE_MS)).toBe(1_000);
    expect(judgedAt({ kind: 'lost', sinceMs: 700, nextTryAtMs: undefined, reason: '' }, 9_000)).toBe(700);
  });
});

describe('a link on another clock', () => {
  test('keeps its distances', () => {
    const link: StreamLink = { kind: 'lost', sinceMs: 1_000, nextTryAtMs: 9_000, reason: '' };
    expect(streamLinkView(movedLink(link, -700), 4_300)).toEqual(streamLinkView(link, 5_000));
    const open: StreamLink = { kind: 'open', lastMessageAtMs: 1_000 };
    expect(streamLinkView(movedLink(open, 50), 1_350)).toEqual(streamLinkView(open, 1_300));
  });
});

test('tries grow from one second to a quarter of a minute and stay there', () => {
  expect([1, 2, 3, 4, 5, 6, 1_000].map(retryDelayMs)).toEqual([
    1_000,
    2_000,
    4_000,
    8_000,
    RETRY_MS_MAX,
    RETRY_MS_MAX,
    RETRY_MS_MAX,
  ]);
});
