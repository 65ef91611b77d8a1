// The shared worker's entry: one stream a browser, however many tabs are open.

import type { Tab, ToSharedStream } from './port.ts';
import { SharedStream } from './shared-stream.ts';
import { StreamSource } from './stream-source.ts';

const stream = new SharedStream((listener, scope) => new StreamSource(listener, scope));

self.addEventListener('connect', event => {
  if (!(event instanceof MessageEvent)) return;
  const [port] = event.ports;
  if (port === undefined) return;
  const tab: Tab = { post: message => port.postMessage(message) };
  port.addEventListener('message', ({ data }: MessageEvent<ToSharedStream>) => stream.receive(tab, data));
  port.start();
});
