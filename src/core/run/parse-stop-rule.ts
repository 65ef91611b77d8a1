// `--stop-when 'failures > 50% over 10s'` as a person writes it, with or without the spaces.

import { type Parsed, parseDurationMs, parsed, wrong } from '../figure/parse-figure.ts';
import type { StopRule } from './run-stop.ts';

export const parseStopRule = (text: string): Parsed<StopRule> => {
  const written = text.trim().toLowerCase();
  const shown = JSON.stringify(text.slice(0, 60));
  const parts = /^([^\s<>=]+)\s*(>=?|<=?|=)\s*(.+?)\s*([a-z]+)\s*(\S.*)$/.exec(written);
  if (parts === null) return wrong(`${shown} is not a stop rule`, EXAMPLE);
  const [, what = '', comparison, share = '', over, window = ''] = parts;
  if (what !== 'failures')
    return wrong(`${JSON.stringify(what)} cannot stop a run: only failures can`, EXAMPLE);
  if (comparison !== '>') return wrong(`${shown} has no share`, EXAMPLE);
  if (over !== 'over') return wrong(`${shown} has no time`, EXAMPLE);
  const percent = /^(\d+(?:\.\d+)?|\.\d+)\s*%$/.exec(share);
  if (percent === null)
    return wrong(`${JSON.stringify(share)} is not a percentage`, 'Write a share of the requests: 50%');
  const failedShareMax = Number(percent[1]) / 100;
  if (failedShareMax >= 1)
    return wrong(`more than ${share} of the requests can never fail`, 'Write a share from 0% to 99.9%.');
  const windowMs = parseDurationMs(window);
  if (windowMs.kind === 'wrong') return windowMs;
  if (windowMs.value < WINDOW_MS_LEAST || windowMs.value > WINDOW_MS_MAX)
    return wrong(`${window} is not a time from 1s to 10m`, 'Write a time such as 10s.');
  return parsed({ failedShareMax, windowMs: windowMs.value });
};

const EXAMPLE = "Write: --stop-when 'failures > 50% over 10s'";
const WINDOW_MS_LEAST = 1_000;
const WINDOW_MS_MAX = 600_000;
