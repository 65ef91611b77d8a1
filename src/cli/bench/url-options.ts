// Several URLs of one run, and the share of the requests that each is sent.

import type { BenchRequest } from '../../bench/run/bench-request.ts';
import type { ServerApi } from '../../bench/target/api/server-api.ts';
import { apiOfPath } from '../../bench/target/api/server-apis.ts';
import { type BenchTarget, parseTargetUrl } from '../../bench/target/target-url.ts';
import { counted, formatCount } from '../../core/figure/figure.ts';
import { parsed, wrong } from '../../core/figure/parse-figure.ts';
import { optionsIn } from '../../core/option/option.ts';
import { MIXED_SHARE_MIN, MIXED_URLS_MAX } from '../../core/run/model-mix.ts';
import type { Invocation } from '../command.ts';
import { usage } from '../command-error.ts';
import { TLS, withTls } from './tls-options.ts';

const { value } = optionsIn('Server');

export const URLS = {
  ...TLS,
  weights: value({
    name: 'weights',
    valueName: 'W,W…',
    meaning: 'With several URLs: the share of the requests for each, such as 3,1. Default: equal shares.',
    parse: text => {
      const weights = text.split(',').map(part => part.trim());
      return weights.every(part => /^\d{1,6}(\.\d{1,6})?$/.test(part) && Number(part) > 0)
        ? parsed(weights.map(Number))
        : wrong(
            `${JSON.stringify(text)} is not a list of weights above 0`,
            'Write one for each URL: --weights 3,1',
          );
    },
  }),
};

/** Of commands that search for what one server holds. */
export const ONE_URL = 'Load one URL at a time, or several in one run: plimsoll bench URL URL';

/** @throws CommandError `usage` for URLs that do not go together. */
export const targetsOfUrls = (
  invocation: Invocation,
  cwd: string,
): Pick<BenchRequest, 'target' | 'targets'> => {
  const targets = withTls(invocation.arguments.map(targetOf), invocation, cwd);
  const [target = targetOf('')] = targets;
  const weights = invocation.option(URLS.weights);
  if (targets.length < 2) {
    if (weights === undefined) return { target };
    throw usage('--weights has no effect with one URL', 'Name several: plimsoll bench URL URL --weights 3,1');
  }
  if (targets.length > MIXED_URLS_MAX)
    throw usage(`${targets.length} URLs are more than ${MIXED_URLS_MAX}`, 'Load fewer in one run.');
  if (weights !== undefined && weights.length !== targets.length)
    throw usage(
      `--weights has ${counted(weights.length, 'weight')} for ${counted(targets.length, 'URL')}`,
      `Write one for each: --weights ${targets.map(() => 1).join(',')}`,
    );
  const twice = targets.find(({ shown }, at) => targets.findIndex(other => other.shown === shown) < at);
  if (twice !== undefined)
    throw usage(
      `${twice.shown} stands twice`,
      'Give it its whole share: plimsoll bench URL URL --weights 3,1',
    );
  if (targets.some(({ authorization }) => authorization !== undefined))
    throw usage(
      'several URLs and credentials in one of them cannot be combined',
      'All of them are sent the same headers: use --api-key-file F or --header-file F.',
    );
  const weighted = targets.map((each, at) => ({ target: each, weight: weights?.[at] ?? 1 }));
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  const rare = weighted.find(({ weight }) => weight / total < MIXED_SHARE_MIN);
  if (rare !== undefined)
    throw usage(
      `${rare.target.shown} would be sent less than one of ${formatCount(1 / MIXED_SHARE_MIN)} requests`,
      'Give it a greater weight, or leave it out.',
    );
  return { target, targets: weighted };
};

/** What one server alone can be asked. @throws CommandError `usage` */
export const refuseUrls = ({ targets }: Pick<BenchRequest, 'targets'>, others: readonly string[]): void => {
  const [other] = others;
  if (targets === undefined || other === undefined) return;
  throw usage(`several URLs and ${other} cannot be combined`, 'Load one URL, or leave the option out.');
};

/** The API of the endpoint in the URLs, used if no option names one. */
export const apiOfUrls = (paths: readonly string[]): ServerApi | undefined => {
  const [first, ...others] = paths.map(apiOfPath);
  if (others.some(other => other?.name !== first?.name))
    throw usage('the URLs are endpoints of different APIs', 'Give only the URLs of the servers, and --api.');
  return first;
};

const targetOf = (text: string): BenchTarget => {
  const target = parseTargetUrl(text);
  if (target.kind === 'wrong') throw usage(target.problem, target.advice);
  return target.value;
};
