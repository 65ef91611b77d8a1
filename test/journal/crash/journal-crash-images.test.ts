// What a power cut, a disk that confirms writes it has not done, and bit rot leave of a real journal's files:
// it comes back to what was written up to some moment, or is moved aside with a notice. Never something else,
// and never an error.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { isLongRun, longCount } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import {
  cutDatabase,
  cutLog,
  FRAME_BYTES,
  flippedDatabase,
  flippedLog,
  hollowLog,
  type Image,
  judge,
  mixed,
  PAGE_BYTES,
  type Verdict,
} from './crash-images.ts';
import { type Written, writeJournal } from './written-journal.ts';

const journals = longCount(1, 3);

/** Of every kind some at random offsets, and in the long run one also at each boundary of a page. */
const imagesOf = (written: Written, seed: number): readonly Image[] => {
  const { below } = seededRandom(seed);
  const { moments } = written;
  const clean = moments.findLastIndex(({ log }) => log.length === 0);
  const logged = [moments.length - 1, clean - 1];
  const images: Image[] = [];
  for (const at of logged) {
    const bytes = moments[at]?.log.length ?? 0;
    const boundaries = isLongRun ? Math.floor(bytes / FRAME_BYTES) : 0;
    for (let frame = 0; frame < boundaries; frame += 1) {
      images.push(cutLog(written, at, 32 + frame * FRAME_BYTES));
      images.push(flippedLog(written, at, 8 * (32 + frame * FRAME_BYTES) + below(8 * FRAME_BYTES)));
    }
    for (let count = 0; count < longCount(6, 100); count += 1) {
      images.push(cutLog(written, at, below(bytes)));
      images.push(hollowLog(written, at, below(bytes)));
      images.push(flippedLog(written, at, below(8 * bytes)));
    }
  }
  const bytes = moments[clean]?.database.length ?? 0;
  for (let page = 0; page < (isLongRun ? bytes / PAGE_BYTES : 6); page += 1) {
    images.push(cutDatabase(written, clean, 1 + below(bytes - 1)));
    if (page > 0) images.push(cutDatabase(written, clean, page * PAGE_BYTES));
    for (let count = 0; count < longCount(2, 40); count += 1)
      images.push(flippedDatabase(written, clean, 8 * page * PAGE_BYTES + below(8 * PAGE_BYTES)));
  }
  for (let count = 0; count < longCount(12, 200); count += 1)
    images.push(mixed(written, below(moments.length), below(moments.length)));
  return images;
};

test(`crash images of ${journals} journals come back to a moment or are moved aside`, {
  timeout: longCount(60_000, 3_000_000),
}, () => {
  using directory = temporaryDirectory();
  const counts = new Map<string, number>();
  for (let seed = 1; seed <= journals; seed += 1) {
    const written = writeJournal(join(directory.path, `written-${seed}`), {
      seed,
      writes: longCount(24, 60),
      compactEach: longCount(10, 25),
    });
    for (const image of imagesOf(written, seed)) {
      const verdict: Verdict = judge(join(directory.path, 'image'), written, image);
      expect(verdict, `seed ${seed}, ${image.what}`).not.toMatch('wrong');
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    }
  }
  expect([...counts.keys()]).toEqual(expect.arrayContaining(['came back', 'moved aside']));
  if (isLongRun)
    process.stdout.write(`${[...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ')}\n`);
});

test('a flipped bit in a current figure is found, although the file is sound to SQLite', () => {
  using directory = temporaryDirectory();
  const written = writeJournal(join(directory.path, 'written'), { seed: 3, writes: 20, compactEach: 10 });
  const at = written.moments.length - 1;
  const image = cutLog(written, at, 0);
  // Also where a page that is free now still has it.
  const database = Buffer.from(
    Buffer.from(image.database).toString('latin1').replaceAll('made for', 'mbde for'),
    'latin1',
  );
  expect(database.equals(image.database)).toBe(false);
  const open = { ...image, mayBeReplaced: true };
  expect(judge(join(directory.path, 'image'), written, open)).toBe('came back');
  expect(judge(join(directory.path, 'image'), written, { ...open, database })).toBe('moved aside');
});

test('a flipped bit in the number of the schema is refused as what a newer version wrote, and nothing is changed', () => {
  using directory = temporaryDirectory();
  const written = writeJournal(join(directory.path, 'written'), { seed: 3, writes: 20, compactEach: 10 });
  const clean = written.moments.findLastIndex(({ log }) => log.length === 0);
  expect(judge(join(directory.path, 'image'), written, flippedDatabase(written, clean, 8 * 62 + 2))).toBe(
    'refused as newer',
  );
});
