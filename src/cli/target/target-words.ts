// What a shell may complete in place of a URL: the names of nodes that serve models, and those of engines of which there is one.

import type { EngineTarget } from '../../core/engine/engine-targets.ts';
import { engineWord } from '../../core/engine/server-engines.ts';
import { engineName, modelsText } from '../../core/node/engines.ts';
import { showable } from '../../core/text/single-line.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import type { ProcessState } from '../process-state.ts';
import { knownTargets } from './known-targets.ts';

/** A name and its description in each line, with a tab between; '' without a daemon that answers at once. */
export const targetWords = async (home: string, state: ProcessState): Promise<string> => {
  const known = await knownTargets(home, state, ANSWER_MS);
  if (isUnknown(known)) return '';
  const { targets } = known;
  const byEngine = Map.groupBy(targets, ({ engine }) => knownOr(engine.engine, ''));
  const alone = targets.filter(
    ({ engine }) => !isUnknown(engine.engine) && byEngine.get(engine.engine)?.length === 1,
  );
  return [
    ...targets.map(target => [target.label, described(target)]),
    ...alone.map(({ engine, label }) => [engineWord(knownOr(engine.engine, '')), `on ${label}`]),
  ]
    .slice(0, WORDS_MAX)
    .map(([word = '', meaning = '']) => `${showable(word)}\t${showable(meaning, ' ')}\n`)
    .join('');
};

const described = ({ engine }: EngineTarget): string =>
  [engineName(engine), knownOr(modelsText(engine), '')].join(' ').trim();

/** A person waits for the key that was pressed. Limits in docs/limits.md. */
const ANSWER_MS = 1_000;
const WORDS_MAX = 100;
