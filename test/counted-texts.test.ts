// "1 requests in flight": no text of the product writes a count and a plural of its own; `counted` of core/figure does.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { counted, ofCount } from '../src/core/figure/figure.ts';
import { repositoryFiles } from './support/repository.ts';
import { repositoryRoot } from './support/repository-root.ts';

test('a count goes with the word for one thing or for several', () => {
  expect([0, 1, 2, 1_500].map(count => counted(count, 'core'))).toEqual([
    '0 cores',
    '1 core',
    '2 cores',
    '1\u00a0500 cores',
  ]);
  expect([1, 2].map(count => counted(count, 'batch', 'batches'))).toEqual(['1 batch', '2 batches']);
  expect([0, 1, 2].map(count => ofCount(count, 'is', 'are'))).toEqual(['are', 'is', 'are']);
});

test('no text has a count before a plural that it does not agree with', context => {
  const files = repositoryFiles()?.filter(file => /^(src|dashboard\/src)\/.*\.(ts|svelte)$/.test(file));
  if (files === undefined) return context.skip('there is no git');
  const found = files.flatMap(file => {
    const text = readFileSync(join(repositoryRoot, file), 'utf8');
    return [...text.matchAll(file.endsWith('.svelte') ? IN_MARKUP : IN_TEMPLATE)]
      .filter(([whole = '', expression = '']) => !isRight(whole, expression, text))
      .map(([whole]) => `${file}: ${whole}`);
  });
  expect(found).toEqual([]);
});

/** Constants, rates with decimals, names, and values that are compared with 1 before the text. */
const isRight = (whole: string, expression: string, text: string): boolean => {
  if (/^[A-Z][A-Z0-9_.]*$|MAX|_MIN|\bmost$|Max\b/.test(expression) || RATES.test(expression)) return true;
  const at = text.indexOf(whole);
  const before = text.slice(Math.max(0, at - GUARD_REACH), at);
  return GUARDS.test(before) || KNOWN.some(known => whole.includes(known));
};

const NOUNS =
  'agents|answers|cells|columns|connections|cores|days|devices|errors|events|files|GPUs|groups|interfaces|keys|labels|layers|lines|links|measurements|messages|minutes|models|nodes|pages|pairs|peers|points|ports|probes|processes|processors|prompts|readings|records|requests|rows|runs|samples|servers|sessions|slots|stages|streams|threads|times|tokens|turns|URLs|values|warnings|words';
const MORE = '(?:more |other |earlier |open |round )?';
const IN_TEMPLATE = new RegExp(`\\$\\{([^{}\`]+)\\} ${MORE}(?:${NOUNS})\\b(?!:)`, 'g');
const IN_MARKUP = new RegExp(`\\{([^{}\`#:/@]+)\\} ${MORE}(?:${NOUNS})\\b(?!=)`, 'g');
const RATES =
  /formatThreeDigits|formatTick|toFixed|digits\(|rounded\(|rate\(|mean\(|percent|Share|PerSecond|PerMinute|ofCount|counted|join\(|quoted\(|\.text\b|name|[nN]ame\(|pathname|address|version|where|letter|index|text\.slice/;
const GUARD_REACH = 160;
const GUARDS = /(?:=== 1|> 1|<= 1|=== 'one'|length > |> [A-Z_]+MAX)[^;]*$/s;
/** More than one, or a part of a sentence in which the number is a limit. */
const KNOWN: readonly string[] = [
  '{view.segment.pair} runs',
  '{segment.pair} runs',
  '{otherName} answers',
  '{days} days',
  '{span} days',
  '{extent.connections} connections',
  '{extent.samples} requests',
  '{latencies} times',
  '{formatCount(needed)} connections',
  '{formatCount(ports)} ports',
  '{needed} open files',
  '{rate} requests',
  '{Math.floor(seconds / DAY)} days',
  '{nodes.length} nodes',
  '{urls.length} URLs',
  '{window} tokens',
  '{line.fails} requests',
  '{of} turns',
];
