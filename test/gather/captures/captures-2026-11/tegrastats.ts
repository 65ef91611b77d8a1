// Lines of tegrastats: use, clock in MHz, temperature and watts of the GPU; undefined where the line does not have it.

import { knownOr } from '../../../../src/core/unknown.ts';
import { parseTegrastats } from '../../../../src/gather/tegrastats/parse-tegrastats.ts';
import { type CaptureRow, rowsReadBy } from './capture-row.ts';

const readLines = (text: string): unknown =>
  text
    .trim()
    .split('\n')
    .map(line => {
      const load = parseTegrastats(line, 'tegra-0');
      if (load.kind === 'unanswered') return load.reason;
      const { use, clockMhz, temperatureCelsius, powerWatts } = load.value;
      return [use, clockMhz, temperatureCelsius, powerWatts].map(figure => knownOr(figure, undefined));
    });

export const tegrastatsRows: readonly CaptureRow[] = rowsReadBy(readLines, {
  'tegrastats/agx-orin-64gb-r36.4.4-gpu-off.txt': [
    [0, 0, undefined, undefined],
    [0, 0, undefined, undefined],
  ],
  'tegrastats/agx-thor-r38-no-gr3d.txt': [
    [undefined, undefined, 62.906, 37.528],
    [undefined, undefined, undefined, 0],
  ],
  'tegrastats/agx-thor-r38.4-clocks-without-share.txt': [
    [undefined, 0, undefined, 0],
    [undefined, 314, 38.875, 1.962],
  ],
  'tegrastats/orin-nano-super-r36.4.3.txt': [
    [0, 305, 49.625, undefined],
    [0.99, 612, 58.625, undefined],
  ],
  'tegrastats/tx2-jetpack-4.txt': [[0, 216, 36, 0.152]],
});
