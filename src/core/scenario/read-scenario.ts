// A scenario from a file: its name, the one that it extends, [options] and [rules]. Rules have their limits as people write
// them: "15m", "95%", true; false takes a rule of the extended scenario away.

import { exactPercent, type Parsed, parseDurationMs, parsed, wrong } from '../figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { nearest } from '../text/nearest.ts';
import { type BenchScenario, SCENARIOS } from './scenario.ts';
import { isRuleKey, RULE_KEYS, type RuleKey, scenarioRule } from './scenario-rules.ts';

export const readScenario = (document: JsonObject): Parsed<BenchScenario> => {
  const { name, summary = '', extends: base, options = {}, rules = {} } = document;
  const other = Object.keys(document).find(key => !KEYS.includes(key));
  if (other !== undefined)
    return wrong(`${shown(other)} is not a part of a scenario`, `Its parts are ${KEYS.join(', ')}.`);
  if (typeof name !== 'string' || !NAME.test(name))
    return wrong('it has no name of up to 64 letters, digits, - and _', 'Write: name = "nightly-agents"');
  if (typeof summary !== 'string') return wrong('summary is not text', 'Write: summary = "…"');
  const extended = base === undefined ? PLAIN : SCENARIOS.find(known => known.name === base);
  if (extended === undefined)
    return wrong(
      `it extends ${shown(base)}, which is not a scenario`,
      `Write: extends = ${JSON.stringify(SCENARIOS[0]?.name)}`,
    );
  if (!isJsonObject(options))
    return wrong('options is not a table', 'Write [options] with an option on each line: duration = "30m"');
  if (!isJsonObject(rules))
    return wrong('rules is not a table', 'Write [rules] with a rule on each line: duration = "15m"');
  const limits: Partial<Record<RuleKey, number>> = { ...extended.rules };
  for (const [key, value] of Object.entries(rules)) {
    if (!isRuleKey(key)) {
      const meant = nearest(key, RULE_KEYS);
      return wrong(
        `${shown(key)} is not a rule`,
        meant === undefined ? `Rules are ${RULE_KEYS.join(', ')}.` : `Did you mean ${meant}?`,
      );
    }
    if (value === false) {
      delete limits[key];
      continue;
    }
    const limit = limitOf(key, value);
    if (limit.kind === 'wrong') return limit;
    limits[key] = limit.value;
  }
  return parsed({ name, summary, options: { ...extended.options, ...options }, rules: limits });
};

const limitOf = (key: RuleKey, value: unknown): Parsed<number> => {
  const { limit } = scenarioRule(key);
  const isText = typeof value === 'string';
  switch (limit) {
    case 'none':
      return value === true
        ? parsed(1)
        : wrong(`the rule ${key} is neither true nor false`, `Write: ${key} = true`);
    case 'time':
      return isText
        ? ofRule(key, parseDurationMs(value))
        : wrong(`the rule ${key} has no time`, `Write: ${key} = "15m"`);
    case 'share':
      return isText
        ? ofRule(key, parseShare(value))
        : wrong(`the rule ${key} has no share`, `Write: ${key} = "95%"`);
    default:
      return limit satisfies never;
  }
};

const parseShare = (text: string): Parsed<number> => {
  const [, digits = ''] = /^(\d{1,3}(?:\.\d{1,4})?)%$/.exec(text) ?? [];
  const share = exactPercent(digits);
  return digits !== '' && share <= 1
    ? parsed(share)
    : wrong(`${shown(text)} is not a share`, 'Write a percentage up to 100: "95%".');
};

const ofRule = (key: RuleKey, read: Parsed<number>): Parsed<number> =>
  read.kind === 'ok' ? read : wrong(`the rule ${key}: ${read.problem}`, read.advice);

const shown = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, 60);

const KEYS: readonly string[] = ['name', 'summary', 'extends', 'options', 'rules'];
const NAME = /^[\w-]{1,64}$/;
const PLAIN: Pick<BenchScenario, 'options' | 'rules'> = { options: {}, rules: {} };
