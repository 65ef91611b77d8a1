// A tab's way to the stream: through the shared worker, or directly where the browser has none (Chrome on Android).

import type { StreamPort, ToTab } from './port.ts';
import { StreamHolder } from './stream-holder.ts';

export const openPort = (receive: (message: ToTab) => void): StreamPort =>
  typeof SharedWorker === 'undefined' ? direct(receive) : shared(receive);

const shared = (receive: (message: ToTab) => void): StreamPort => {
  const worker = new SharedWorker(new URL('./stream-worker.ts', import.meta.url), {
    type: 'module',
    name: 'plimsoll-stream',
  });
  worker.port.addEventListener('message', ({ data }: MessageEvent<ToTab>) => receive(data));
  worker.port.start();
  return { post: message => worker.port.postMessage(message) };
};

const direct = (receive: (message: ToTab) => void): StreamPort => {
  const holder = new StreamHolder();
  const tab = { post: receive };
  holder.start();
  return { post: message => holder.receive(tab, message) };
};
