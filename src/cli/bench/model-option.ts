// `--model`: a name as it is sent, or several with weights, each for a share of the requests.

import { formatCount } from '../../core/figure/figure.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { MIXED_MODELS_MAX, MIXED_SHARE_MIN, type ModelMix } from '../../core/run/model-mix.ts';

/** undefined: it is one name. Only a list of NAME=WEIGHT is a mix: a name may have a comma or an equals sign of its own. */
export const parseMix = (text: string): Parsed<ModelMix | undefined> => {
  const parts = text.split(',').map(part => /^(.+)=(\d{1,6}(?:\.\d{1,6})?)$/.exec(part.trim()));
  if (parts.length < 2 || parts.includes(null)) return parsed(undefined);
  const mix = parts.map(part => ({ model: part?.[1] ?? '', weight: Number(part?.[2] ?? 0) }));
  if (mix.length > MIXED_MODELS_MAX)
    return wrong(`${mix.length} models are more than ${MIXED_MODELS_MAX}`, 'Use fewer in one run.');
  if (mix.some(({ weight }) => weight === 0))
    return wrong('a model has a weight of 0', 'Leave it out, or give it a weight: --model a=0.7,b=0.3');
  if (new Set(mix.map(({ model }) => model)).size < mix.length)
    return wrong('a model is given twice', 'Give each its whole weight: --model a=0.7,b=0.3');
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const rare = mix.find(({ weight }) => weight / total < MIXED_SHARE_MIN);
  if (rare !== undefined)
    return wrong(
      `${rare.model} would get fewer than one of ${formatCount(1 / MIXED_SHARE_MIN)} requests`,
      'Give it a greater weight, or leave it out.',
    );
  return parsed(mix);
};
