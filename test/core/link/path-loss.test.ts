import { expect, test } from 'vitest';
import { noDatagramFigures } from '../../../src/core/link/link-profile.ts';
import { datagramLoss, lossWays, mtuText } from '../../../src/core/link/path-loss.ts';
import { unknown } from '../../../src/core/unknown.ts';

const plain = (text: string): string => text.replaceAll(/\s/g, ' ');
const NONE = noDatagramFigures(unknown('a firewall drops them'));

test('a loss has the bounds that so many datagrams allow', () => {
  const loss = datagramLoss({ ...NONE, uploadDatagrams: 2_000, uploadLossShare: 0.05 }, 'upload');
  expect(loss?.low).toBeCloseTo(0.0409, 3);
  expect(loss?.high).toBeCloseTo(0.0605, 3);
  expect(datagramLoss(NONE, 'upload')).toBeUndefined();
});

test.each([
  [0.5, 1e300],
  [1e300, 1e300],
  [2, 100],
  [-1, 100],
  [0.5, -5],
])('a share of %d of %d datagrams is no loss, and takes no time', (uploadLossShare, uploadDatagrams) => {
  const figures = { ...NONE, uploadDatagrams, uploadLossShare, uploadReorderedShare: uploadLossShare * 5 };
  expect(datagramLoss(figures, 'upload')).toBeUndefined();
  expect(lossWays(figures)).toBe('');
});

test('is written with its interval, and what is out of order only if something is', () => {
  const figures = {
    ...NONE,
    uploadDatagrams: 2_000,
    downloadDatagrams: 2_000,
    uploadLossShare: 0.05,
    downloadLossShare: 0,
  };
  expect(plain(lossWays(figures))).toBe('loses 5.0 % (4.1 to 6.0 %) up, none (< 0.2 %) down');
  expect(plain(lossWays({ ...NONE, downloadReorderedShare: 0.1 }))).toBe('out of order 10 % down');
  expect(mtuText({ ...NONE, uploadMtuBytes: 9_000, downloadMtuBytes: 1_500 })).toBe(
    'MTU 9000 bytes up, 1500 down',
  );
});
