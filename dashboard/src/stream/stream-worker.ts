// The shared worker's entry: one stream a browser, however many tabs are open.

import type { Tab, ToHolder } from './port.ts';
import { StreamHolder } from './stream-holder.ts';

const holder = new StreamHolder();

self.addEventListener('connect', event => {
  if (!(event instanceof MessageEvent)) return;
  const [port] = event.ports;
  if (port === undefined) return;
  const tab: Tab = { post: message => port.postMessage(message) };
  port.addEventListener('message', ({ data }: MessageEvent<ToHolder>) => holder.receive(tab, data));
  port.start();
});
