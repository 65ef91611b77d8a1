// A load thread that never returns to its event loop.

import { afterStart } from './after-start.ts';
import '../../../../src/bench/load/load-worker.ts';

afterStart(() => {
  for (;;);
});
