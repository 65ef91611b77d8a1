// The loads of a sweep as people write them: "1,2,4,8", "1..256x2" (each twice the one before), "10..50+10" (ten more each time).

import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { pushAll } from '../../core/push-all.ts';
import { STAGES_MAX } from '../../wire/sweep-schema.ts';

/** `readLevel` reads one number, with its bounds. */
export const loadLevels =
  (readLevel: (text: string) => Parsed<number>) =>
  (text: string): Parsed<readonly number[]> => {
    const levels: number[] = [];
    for (const item of text.split(',')) {
      const read = itemLevels(item.trim(), readLevel);
      if (read.kind === 'wrong') return read;
      pushAll(levels, read.value);
      if (levels.length > STAGES_MAX) {
        return wrong(`more than ${STAGES_MAX} loads`, 'Take larger steps, or a smaller range.');
      }
    }
    const twice = levels.find((level, index) => levels.indexOf(level) !== index);
    return twice === undefined
      ? parsed(levels)
      : wrong(`the load ${twice} is given twice`, 'Each load is one stage: give it once.');
  };

const itemLevels = (item: string, readLevel: (text: string) => Parsed<number>): Parsed<readonly number[]> => {
  const [, first, last, sign, step] = /^([\d.]+?)\.\.([\d.]+)([x+])([\d.]+)$/.exec(item) ?? [];
  if (first === undefined || last === undefined || step === undefined) {
    const level = readLevel(item);
    if (level.kind === 'ok') return parsed([level.value]);
    return /\.\./.test(item)
      ? wrong(
          `${JSON.stringify(item.slice(0, 40))} is not a range of loads`,
          'Write FROM..TOxFACTOR or FROM..TO+STEP: 1..256x2, 10..50+10',
        )
      : level;
  }
  const [from, to] = [readLevel(first), readLevel(last)];
  if (from.kind === 'wrong') return from;
  if (to.kind === 'wrong') return to;
  const by = Number(step);
  const isRising = sign === 'x' ? by > 1 : by > 0;
  if (!isRising || !Number.isFinite(by) || from.value > to.value) {
    return wrong(
      `${JSON.stringify(item.slice(0, 40))} never rises`,
      'Write it from the least: 1..256x2, 10..50+10',
    );
  }
  const levels: number[] = [];
  for (let index = 0; ; index += 1) {
    // From the start each time, so that nothing adds up; digits past those that one can type are none that anybody asked for.
    const exact = sign === 'x' ? from.value * by ** index : from.value + by * index;
    const level = readLevel(String(Number(exact.toFixed(6))));
    if (exact > to.value * (1 + 1e-9)) return parsed(levels);
    if (level.kind === 'wrong') return level;
    levels.push(level.value);
    if (levels.length > STAGES_MAX) return parsed(levels);
  }
};
