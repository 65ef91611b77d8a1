// Calculates in a worker: ranking every way to place a model over eight machines takes longer than a page may block.

import { headroom } from '../../../src/core/model/headroom.ts';
import type { HeadroomInput } from './placement.ts';

self.addEventListener('message', ({ data }: MessageEvent<HeadroomInput>) => {
  self.postMessage(headroom(data.model, data.devices, data.question, data.links));
});
