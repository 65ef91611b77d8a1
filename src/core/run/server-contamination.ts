// Checks of what the server reported of itself during a run, and of the activity of the client's machine.

import { counted, formatCount } from '../figure/figure.ts';
import { isJsonObject, parseAnyJson } from '../json.ts';
import { isKnown, isUnknown, knownOr } from '../unknown.ts';
import { isByKernel } from './arrival-stamps.ts';
import { ALL_RATES, ALL_TIMES } from './contamination.ts';
import {
  type ContaminationCheck,
  type ContaminationSources,
  finding,
  ofRequests,
  partText,
} from './contamination-check.ts';

export const speculativeDecoding: ContaminationCheck = ({
  samples: { predicted, predictedTokens, predictedOf, completed },
  server,
}) => {
  const spoils = ['tpotNs', 'chunkGapNs', 'outputTokensPerSecond', 'perUserTokensPerSecond'] as const;
  const advice =
    'Its speed depends on the text: compare only runs with the same prompts, of the kind that you serve.';
  if (predictedTokens > 0)
    return finding('speculative-decoding', spoils, {
      ...ofRequests(predicted, completed),
      problem: `${partText(predictedTokens, predictedOf)} of the tokens of some answers came from speculative decoding`,
      advice,
    });
  const { draftedTokens, acceptedTokens } = knownOr(server, undefined)?.figures ?? {};
  if (draftedTokens === undefined || draftedTokens.rose === 0) return undefined;
  const accepted = acceptedTokens?.rose ?? 0;
  return finding('speculative-decoding', spoils, {
    count: accepted,
    of: draftedTokens.rose,
    unit: 'drafted tokens',
    problem: `the server uses speculative decoding and accepted ${partText(accepted, draftedTokens.rose)} of them`,
    advice,
  });
};

export const otherClients: ContaminationCheck = sources => {
  const { server } = sources;
  if (isUnknown(server)) return undefined;
  const { excess, compared, excessMost } = server;
  const byCount = finishedForOthers(sources);
  if (byCount !== undefined) return byCount;
  if (excess < EXCESS_READINGS_LEAST || excess < EXCESS_READINGS_SHARE * compared) return undefined;
  return finding('other-clients', [...ALL_TIMES, ...ALL_RATES], {
    count: excess,
    of: compared,
    unit: 'readings of the server',
    problem: `by its own metrics the server had requests from other clients: up to ${formatCount(excessMost)} more than this run had in flight`,
    advice: 'Measure while no other client uses the server.',
  });
};

/**
 * If no other client used the server, every request that finished between the two readings around the load
 * was this run's.
 */
const finishedForOthers: ContaminationCheck = ({ run, server, sent }) => {
  if (isUnknown(server) || isUnknown(sent)) return undefined;
  const { countedOver, restarts, figures } = server;
  const finished = figures.finished?.rose;
  if (countedOver !== 'whole' || restarts > 0 || finished === undefined || requestsSeveral(run))
    return undefined;
  const others = finished - sent;
  if (others <= Math.max(OTHERS_LEAST, OTHERS_SHARE * sent)) return undefined;
  return finding('other-clients', [...ALL_TIMES, ...ALL_RATES], {
    count: others,
    of: finished,
    unit: 'requests that the server finished',
    problem: `by its own metrics the server finished ${counted(finished, 'request')} while this run sent ${formatCount(sent)}`,
    advice: 'Measure while no other client uses the server.',
  });
};

/** Servers count each of several answers to one request. */
const requestsSeveral = ({ requests }: ContaminationSources['run']): boolean => {
  const body = isUnknown(requests) ? undefined : parseAnyJson(requests.body);
  return isJsonObject(body) && (body['n'] !== undefined || body['best_of'] !== undefined);
};

export const preemption: ContaminationCheck = ({ server, samples: { completed } }) => {
  const rose = knownOr(server, undefined)?.figures.preemptions?.rose ?? 0;
  if (rose === 0) return undefined;
  return finding('preemption', ALL_TIMES, {
    count: rose,
    of: completed,
    unit: 'preemptions to requests',
    problem: 'the server preempted requests, because its KV cache was full',
    advice: 'It is out of memory: send fewer at a time, or give it more room for its KV cache.',
  });
};

export const swap: ContaminationCheck = ({ server }) => {
  if (isUnknown(server)) return undefined;
  const most = server.figures.swapped?.max ?? 0;
  if (most === 0) return undefined;
  return finding('swap', ALL_TIMES, {
    count: most,
    of: Math.max(most, server.figures.running?.max ?? 0),
    unit: 'requests at a time',
    problem: 'the server moved requests out of its KV cache',
    advice: 'It is out of memory: send fewer at a time, or give it more room for its KV cache.',
  });
};

/** A client whose timestamps are the kernel's changes figures by swapping only if the server is on its machine. */
export const clientSwap: ContaminationCheck = ({ run, machine }) => {
  if (isByKernel(run.stamps) && isKnown(machine) && !machine.sharesProcessors) return undefined;
  const pages = isUnknown(machine) ? 0 : knownOr(machine.swappedPages, 0);
  if (pages < SWAPPED_PAGES_LEAST) return undefined;
  return finding('client-swap', ALL_TIMES, {
    count: pages,
    of: 0,
    unit: 'pages in and out',
    problem: 'the machine of the client swapped while it measured',
    advice: 'Give it more memory, or stop other programs on it.',
  });
};

/** For example, requests of a health check. */
const OTHERS_LEAST = 2;
const OTHERS_SHARE = 0.05;
const EXCESS_READINGS_LEAST = 3;
const EXCESS_READINGS_SHARE = 0.2;
/** 1 MiB in pages of 4 KiB: less may come from some idle program. */
const SWAPPED_PAGES_LEAST = 256;
