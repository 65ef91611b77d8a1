// The state of the connection in a word and a remark. The word changes rarely and is announced; the remark counts.

import { formatAge } from '../../../src/core/figure/duration.ts';
import { figureText } from '../../../src/core/figure/figure.ts';
import type { StreamLinkView } from '../stream/link.ts';

interface ConnectionText {
  readonly label: string;
  readonly remark: string;
}

export const connectionText = (view: StreamLinkView, isRecording = false): ConnectionText => {
  if (isRecording && view.kind === 'live') return { label: 'Recording', remark: 'read-only' };
  switch (view.kind) {
    case 'starting':
      return { label: 'Starting', remark: 'waiting for the first figures' };
    case 'live':
      return { label: 'Live', remark: `${age(Math.max(100, view.lastMessageMs))} ago` };
    case 'stale':
      return { label: 'Stale', remark: `last event ${age(view.lastMessageMs)} ago` };
    case 'lost':
      return { label: 'No connection', remark: `since ${age(view.lostMs)}, ${nextTry(view.nextTryMs)}` };
    case 'denied':
      return { label: 'No access', remark: 'the daemon requires its token' };
    case 'outdated':
      return { label: 'Out of date', remark: 'reload the page' };
    default:
      return view satisfies never;
  }
};

const age = (ageMs: number): string => figureText(formatAge(ageMs));

const nextTry = (nextTryMs: number | undefined): string =>
  nextTryMs === undefined ? 'trying now' : `next try in ${Math.max(1, Math.ceil(nextTryMs / 1000))}\u00a0s`;
