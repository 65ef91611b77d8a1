// A parse thread that never returns to its event loop.

import { afterStart } from './after-start.ts';
import '../../../../src/bench/parse/parse-worker.ts';

afterStart(() => {
  for (;;);
});
