// A tab's way to the stream: through the shared worker, or directly where the browser has none (Chrome on Android) or does
// not start it.

import type { StreamPort, ToSharedStream, ToTab } from './port.ts';
import { SharedStream } from './shared-stream.ts';
import { StreamSource } from './stream-source.ts';

export const openPort = (receive: (message: ToTab) => void): StreamPort =>
  typeof SharedWorker === 'undefined' ? direct(receive) : shared(receive);

const shared = (receive: (message: ToTab) => void): StreamPort => {
  const worker = new SharedWorker(new URL('./stream-worker.ts', import.meta.url), {
    type: 'module',
    name: 'plimsoll-stream',
  });
  let last: ToSharedStream | undefined;
  let instead: StreamPort | undefined;
  worker.port.addEventListener('message', ({ data }: MessageEvent<ToTab>) => receive(data));
  worker.port.start();
  // The script did not load: a new version was installed behind this page, or the daemon had just gone.
  worker.addEventListener('error', () => {
    if (instead !== undefined) return;
    instead = direct(receive);
    if (last !== undefined) instead.post(last);
  });
  return {
    post: message => {
      last = message;
      if (instead === undefined) worker.port.postMessage(message);
      else instead.post(message);
    },
  };
};

const direct = (receive: (message: ToTab) => void): StreamPort => {
  const stream = new SharedStream((listener, scope) => new StreamSource(listener, scope));
  const tab = { post: receive };
  return { post: message => stream.receive(tab, message) };
};
