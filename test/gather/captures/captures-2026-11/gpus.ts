// The kernel's log, rocm-smi, and Intel's cards in sysfs.

import { parseRocmSmi } from '../../../../src/gather/amd-smi/parse-rocm-smi.ts';
import { jsonDocuments } from '../../../../src/gather/amd-smi/tool-json.ts';
import { parseXid } from '../../../../src/gather/kmsg/parse-xid.ts';
import { type CaptureRow, rowsReadBy } from './capture-row.ts';

const readRocm = (text: string): unknown => {
  const cards = jsonDocuments(text).flatMap(parseRocmSmi);
  const [first] = cards;
  return [cards.length, first?.name, first?.address, first?.powerLimitWatts, first?.memoryTotalBytes];
};

export const gpuRows: readonly CaptureRow[] = [
  {
    file: 'kmsg/nvlink5-gsp-and-nvswitch-errors.txt',
    expected: { xids: [149, 145, 149, 119, 13, 79, 154], sxids: [20_034, 12_028] },
    read: text => {
      const logged = text.split('\n').flatMap(line => parseXid(line) ?? []);
      const of = (kind: string) => logged.filter(error => error.kind === kind).map(({ xid }) => xid);
      return { xids: of('xid'), sxids: of('sxid') };
    },
  },
  ...rowsReadBy(readRocm, {
    'rocm-smi/mi100-rocm602.json': [
      4,
      'Arcturus GL-XL [Instinct MI100]',
      '0000:83:00.0',
      290,
      34_342_961_152,
    ],
    'rocm-smi/rx6700xt-rocm602.json': [
      1,
      'Navi 22 [Radeon RX 6700/6700 XT / 6800M]',
      '0000:07:00.0',
      211,
      12_868_124_672,
    ],
    'rocm-smi/rx6700xt-rocm612.json': [
      1,
      'Navi 22 [Radeon RX 6700/6700 XT / 6800M]',
      '0000:07:00.0',
      211,
      12_868_124_672,
    ],
    'rocm-smi/vega-10-xt.json': [1, undefined, '0000:04:00.0', 170, 17_163_091_968],
  }),
];
