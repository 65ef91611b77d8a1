// The state of the stream between this browser and the daemon, and the text of the header about it. Times are on the
// clock of the process that owns the link; between a worker and its tabs they are sent relative to now.

export type StreamLink =
  | { readonly kind: 'starting' }
  | { readonly kind: 'open'; readonly lastMessageAtMs: number }
  | {
      readonly kind: 'lost';
      /** When the daemon was last seen. */
      readonly sinceMs: number;
      /** undefined while a try is under way. */
      readonly nextTryAtMs: number | undefined;
      /** The reason that the daemon gave before it closed the connection; '' otherwise. */
      readonly reason: string;
    }
  /** The daemon requires a token that this browser does not have. */
  | { readonly kind: 'denied' }
  /** The daemon uses a version of the stream that this page does not support. */
  | { readonly kind: 'outdated'; readonly reason: string };

/** A stream without data for this long is stale; the daemon sends a heartbeat more often. `?stale=ms` changes it. */
export const STREAM_STALE_MS = 10_000;

export type StreamLinkView =
  | { readonly kind: 'starting' }
  | { readonly kind: 'live'; readonly lastMessageMs: number }
  | { readonly kind: 'stale'; readonly lastMessageMs: number }
  | {
      readonly kind: 'lost';
      readonly lostMs: number;
      readonly nextTryMs: number | undefined;
      readonly reason: string;
    }
  | { readonly kind: 'denied' }
  | { readonly kind: 'outdated'; readonly reason: string };

export const streamLinkView = (
  link: StreamLink,
  nowMs: number,
  staleMs: number = STREAM_STALE_MS,
): StreamLinkView => {
  switch (link.kind) {
    case 'open': {
      const lastMessageMs = Math.max(0, nowMs - link.lastMessageAtMs);
      return { kind: lastMessageMs > staleMs ? 'stale' : 'live', lastMessageMs };
    }
    case 'lost':
      return {
        kind: 'lost',
        lostMs: Math.max(0, nowMs - link.sinceMs),
        nextTryMs: link.nextTryAtMs === undefined ? undefined : Math.max(0, link.nextTryAtMs - nowMs),
        reason: link.reason,
      };
    case 'starting':
    case 'denied':
    case 'outdated':
      return link;
    default:
      return link satisfies never;
  }
};

/**
 * The moment up to which the cluster is known. While nothing arrives, sources are judged as of then: the silence is not
 * theirs, and they do not go stale because the stream is late.
 */
export const judgedAt = (link: StreamLink, nowMs: number, staleMs: number = STREAM_STALE_MS): number => {
  switch (link.kind) {
    case 'open': {
      const isStale = nowMs - link.lastMessageAtMs > staleMs;
      return Math.min(nowMs, link.lastMessageAtMs + (isStale ? 0 : LATE_AFTER_MS));
    }
    case 'lost':
      return Math.min(nowMs, link.sinceMs);
    default:
      return nowMs;
  }
};

/** The same link on another clock. */
export const movedLink = (link: StreamLink, offsetMs: number): StreamLink => {
  switch (link.kind) {
    case 'open':
      return { ...link, lastMessageAtMs: link.lastMessageAtMs + offsetMs };
    case 'lost':
      return {
        ...link,
        sinceMs: link.sinceMs + offsetMs,
        nextTryAtMs: link.nextTryAtMs === undefined ? undefined : link.nextTryAtMs + offsetMs,
      };
    case 'starting':
    case 'denied':
    case 'outdated':
      return link;
    default:
      return link satisfies never;
  }
};

/** Sources report more often than this; a stream without data for longer is itself late. */
const LATE_AFTER_MS = 2_000;

// When to retry a lost stream: soon at first, since a restart takes a second, then rarely, since the daemon may be gone.
const RETRY_MS_MIN = 1_000;
export const RETRY_MS_MAX = 15_000;

/** The wait before the given try (from 1), ms: 1, 2, 4, 8, 15, 15 … seconds. */
export const retryDelayMs = (attempt: number): number =>
  Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(10, Math.max(0, attempt - 1)));
