// Where the requests of a run with several base URLs go, and what was found out about their servers.

import { MIXED_REQUESTS_MIN, mixedOrder, type UrlMix, urlsText } from '../../core/run/model-mix.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { BenchError } from '../bench-error.ts';
import type { ServerApi } from '../target/api/server-api.ts';
import type { LoadTarget, TargetSpread } from '../target/load-target.ts';
import type { ServerAnswer } from '../target/query-server.ts';
import { type BenchTarget, endpointPath } from '../target/target-url.ts';
import type { BenchRequest, WeightedTarget } from './bench-request.ts';

type Targets = Pick<BenchRequest, 'target' | 'targets'>;

export const loadTarget = (target: BenchTarget, api: ServerApi): LoadTarget => ({
  ...target.server,
  path: endpointPath(target, api),
});

export const targetSpread = ({
  targets,
  api,
  seed,
}: Pick<BenchRequest, 'targets' | 'api' | 'seed'>): TargetSpread | undefined => {
  if (targets === undefined) return undefined;
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  return {
    targets: targets.map(({ target }) => loadTarget(target, api)),
    shares: targets.map(({ weight }) => weight / total),
    order: mixedOrder(targets, MIXED_REQUESTS_MIN, seed),
  };
};

/** All of them, as a report names its target. */
export const shownTarget = ({ target, targets }: Targets): string =>
  targets === undefined ? target.shown : urlsText(targets.map(({ target: { shown } }) => ({ url: shown })));

/** In the report's form, with the kind of each server. */
export const mixedUrls = (
  { targets }: Pick<BenchRequest, 'targets'>,
  { serverKinds }: Pick<ServerAnswer, 'serverKinds'>,
): UrlMix | undefined =>
  targets?.map(({ target, weight }, at) => ({
    url: target.shown,
    weight,
    serverKind: serverKinds?.[at] ?? unknown('the kind of this server was not queried'),
  }));

/**
 * One result for all: a server that is down fails its own requests, and does not prevent the others.
 * @throws BenchError of the first if none replies; `input` if they have different models and none was named.
 */
export const queryTargets = async (
  targets: readonly WeightedTarget[],
  request: (target: BenchTarget) => Promise<ServerAnswer>,
): Promise<ServerAnswer> => {
  const requested = await Promise.all(targets.map(({ target }) => answerOf(target, request)));
  const answers = requested.flatMap(({ answer }, at) =>
    answer instanceof BenchError ? [] : [{ answer, url: targets[at]?.target.shown ?? '' }],
  );
  const [first] = answers;
  if (first === undefined) throw requested[0]?.answer ?? new RangeError('there is no target');
  const other = answers.find(({ answer }) => answer.model !== first.answer.model);
  if (other !== undefined)
    throw new BenchError({
      code: 'input',
      problem: `${first.url} serves ${JSON.stringify(first.answer.model)} and ${other.url} ${JSON.stringify(other.answer.model)}`,
      advice: 'Name the model that all of them have: --model M',
    });
  const serverKinds = requested.map(({ answer }) =>
    answer instanceof BenchError ? unknown(answer.problem.problem) : answer.serverKind,
  );
  return {
    model: first.answer.model,
    serverKind: kindOfAll(serverKinds),
    serverKinds,
    reported: answers.flatMap(({ answer, url }) =>
      isUnknown(answer.reported)
        ? []
        : answer.reported.map(reported => ({ ...reported, from: `${url} ${reported.from}` })),
    ),
    notices: requested.flatMap(({ answer, url }) =>
      answer instanceof BenchError
        ? [`${answer.problem.problem}; its requests fail as long as it does not reply`]
        : answer.notices.map(notice => `${url}: ${notice}`),
    ),
  };
};

const answerOf = async (
  target: BenchTarget,
  request: (target: BenchTarget) => Promise<ServerAnswer>,
): Promise<{ readonly url: string; readonly answer: ServerAnswer | BenchError }> => {
  try {
    return { url: target.shown, answer: await request(target) };
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    return { url: target.shown, answer: error };
  }
};

const kindOfAll = (kinds: readonly Reported<string>[]): Reported<string> => {
  const known = [...new Set(kinds.filter(kind => !isUnknown(kind)))];
  const [first] = known;
  if (first === undefined) return kinds[0] ?? unknown('the kind of server was not queried');
  return known.length === 1 ? first : unknown(`servers of several kinds: ${known.join(', ')}`);
};
