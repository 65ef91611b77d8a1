// Prompts for who has none at hand: plain English words of a stated number, drawn by a seed, so that two runs of one seed
// ask the same.

import type { SeededRandom } from '../../core/random.ts';
import { seededRandom } from '../../core/random.ts';
import type { Dataset } from './prompt.ts';
import { userPrompt } from './prompt.ts';

export const syntheticDataset = (seed: number): Dataset => {
  const random = seededRandom(seed);
  return {
    description: `synthetic: ${PROMPT_COUNT} prompts of ${PROMPT_WORDS} words, seed ${seed}`,
    prompts: Array.from({ length: PROMPT_COUNT }, () => userPrompt(text(random))),
  };
};

/** The task is part of the count. */
const text = (random: SeededRandom): string => {
  const drawn = Array.from(
    { length: PROMPT_WORDS - TASK.length },
    () => WORDS[random.below(WORDS.length)] ?? '',
  );
  return [...TASK, ...drawn].join(' ');
};

export const PROMPT_COUNT = 256;
export const PROMPT_WORDS = 128;

const TASK: readonly string[] = 'Write a short story that uses all of these words:'.split(' ');

const WORDS: readonly string[] =
  `anchor apple arrow autumn bakery balcony basket beacon bell bicycle bird blanket boat bottle branch bread bridge bright
broom bucket button cabin candle canvas captain carpet castle cedar chair chalk cherry chimney circle cliff clock cloud
coast coffee compass copper corner cotton cradle crane creek crystal curtain dance dawn desert diamond door dragon dream
drum eagle earth echo ember engine evening falcon feather fence field finger flame flower forest fountain garden gate
ghost glass glove gold grain granite grape guitar hammer harbor harvest hill honey horizon horse house island ivory
jacket jungle kettle key kitchen ladder lake lamp lantern leaf lemon letter library light lion lizard marble market
meadow mirror moon morning mountain needle nest night north ocean orange orchard oven owl paint palace paper path pearl
pencil pepper piano pillow pine planet pocket pond quiet rabbit rain raven ribbon river road rocket roof rope saddle
sail salt sand scarf shadow shell ship silver smoke snow song spark spoon spring star stone storm street summer sunset
table teapot temple thread thunder tiger tower train travel tree tunnel valley velvet village violin wagon walnut water
wave wheel whisper willow window winter wolf wonder yellow`.split(/\s+/);
