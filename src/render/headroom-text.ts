// Headroom as text and columns, for terminals.

import { formatNanoseconds } from '../core/figure/duration.ts';
import {
  counted,
  figureText,
  formatBytes,
  formatBytesPerSecond,
  formatCount,
  formatThreeDigits,
} from '../core/figure/figure.ts';
import { CACHE_TYPES, cacheBytesPerToken } from '../core/model/cache-bytes.ts';
import type { Headroom, RankedPlacement } from '../core/model/headroom.ts';
import type { HeadroomChange } from '../core/model/headroom-changes.ts';
import type { HeadroomDevice } from '../core/model/headroom-devices.ts';
import type { Fit } from '../core/model/memory-need.ts';
import type { Interval, ModelFacts } from '../core/model/model-facts.ts';
import type { PlacementHeadroom, PlacementPart } from '../core/model/placement-headroom.ts';
import { ceilingText } from '../core/model/product-precision.ts';
import type { PlacementTerm, PlacementTerms } from '../core/model/step-time.ts';
import type { Estimate } from '../core/sweep/stage.ts';
import { inColumns } from '../core/text/columns.ts';
import { isUnknown, type Unknown, unknown } from '../core/unknown.ts';

export const headroomLines = ({
  model,
  question,
  need,
  placements,
  placementsLeftOut,
  notes,
  changes,
}: Headroom): readonly string[] => {
  const [best, ...others] = placements;
  const behind = others.slice(0, OTHERS_SHOWN);
  const leftOut = placementsLeftOut + others.length - behind.length;
  return [
    model.name,
    ...modelLines(model, question.cacheType),
    '',
    `With ${counted(question.batch, 'sequence')} of ${counted(question.contextTokens, 'token')}, cache in ${question.cacheType}, ${question.engine === 'other' ? 'any engine' : question.engine}:`,
    ...(isUnknown(need)
      ? [`  What it needs is unknown: ${need.reason}`]
      : [
          `  needs ${bytesText(need.totalBytes)}: weights ${bytesText(need.weightBytes)}, cache ${bytesText(need.cacheBytes)}, reserve ${bytesText(need.reserveBytes)}`,
        ]),
    '',
    ...(best === undefined ? ['No node to place it on.'] : placementLines(best, question.batch)),
    ...(changes.length === 0 ? [] : ['', 'What would change it:', ...inColumns(changes.map(changeRow))]),
    ...(behind.length === 0 ? [] : ['', 'Other placements:', ...inColumns(behind.map(otherRow))]),
    ...(leftOut === 0 ? [] : [`  and ${counted(leftOut, 'placement')} more: --json`]),
    ...notes.map(note => `note: ${note}`),
  ];
};

const changeRow = ({
  text,
  beforeTokensPerSecond: before,
  afterTokensPerSecond: after,
  makesItFit,
}: HeadroomChange): readonly string[] => [
  text,
  makesItFit ? `it fits: ${rate(after)} tok/s` : `${rate(before)} → ${rate(after)} tok/s`,
];

const otherRow = ({ name, decode, behind }: RankedPlacement): readonly string[] => [
  name,
  isUnknown(decode) ? '–' : `${rate(decode.expectedTokensPerSecond.value)} tok/s`,
  behind,
];

const modelLines = (model: ModelFacts, cacheType: Headroom['question']['cacheType']): readonly string[] => {
  const { architecture, layers, quantisation, weights, cache, experts, contextMax, notes } = model;
  const rows: (readonly [string, string])[] = [
    ['architecture', reported(architecture, String)],
    ['layers', reported(layers, formatCount)],
    ['weights', reported(quantisation, String)],
    ['in memory', reported(weights, ({ totalBytes }) => bytesText(totalBytes))],
    ['read a token', reported(weights, ({ denseBytes }) => bytesText(denseBytes))],
  ];
  if (experts !== undefined)
    rows.push([
      'experts',
      reported(
        experts,
        ({ used, count: all }) =>
          `${used} of ${all} per token, ${reported(weights, ({ expertBytes }) => bytesText(expertBytes))} in total`,
      ),
    ]);
  rows.push(
    [
      'cache',
      reported(
        cache,
        facts =>
          `${formatCount(cacheBytesPerToken(facts, CACHE_TYPES[cacheType]))} bytes per token of context`,
      ),
    ],
    ['context', reported(contextMax, tokens => `${counted(tokens, 'token')} at most`)],
  );
  return [...inColumns(rows), ...notes.map(note => `  note: ${note}`)];
};

const placementLines = (
  { name, parts, fit, fitNow, contextThatFits, decode, prefill, serving }: RankedPlacement,
  batch: number,
): readonly string[] => {
  const lines = [
    name,
    ...parts.map(({ device, need }) => `  ${deviceText(device)}${parts.length > 1 ? needText(need) : ''}`),
    `  ${fitText(fit, contextThatFits)}`,
    ...(parts.every(({ device }) => device.memoryFreeBytes === undefined)
      ? []
      : [`  ${fitNowText(fitNow, parts)}`]),
  ];
  if (isUnknown(decode)) lines.push(`  decode   unknown: ${decode.reason}`);
  else {
    const { expectedTokensPerSecond: expected, boundTokensPerSecond, terms, limit, constants } = decode;
    lines.push(
      `  decode   bound ${rate(boundTokensPerSecond)} tok/s, expected ${rate(expected.value)} (${rate(expected.low)} to ${rate(expected.high)})${batch > 1 ? ' in total' : ''}; limited by ${LIMIT_LABELS[limit]}`,
      `           ${termText(terms)}`,
      `           constants of ${constants}${isUnknown(decode.errorShare) ? ', not fitted' : `, off by ${rate(decode.errorShare * 100)} % where they were fitted`}`,
    );
  }
  if (isUnknown(prefill)) lines.push(`  prefill  unknown: ${prefill.reason}`);
  else
    lines.push(
      `  prefill  bound ${duration(prefill.boundSeconds)} (${ceilingText(prefill.ceiling)}), expected ${durations(prefill.expectedSeconds)}`,
    );
  if (batch > 1 && !isUnknown(serving))
    lines.push(
      `  serving  ${counted(batch, 'client')} in turn: a token every ${durations(serving.timePerOutputTokenSeconds)}, the first after ${durations(serving.timeToFirstTokenSeconds)}, ${rate(serving.requestsPerSecond.value)} requests/s`,
    );
  return lines;
};

const deviceText = ({ name, deviceName, ceiling }: HeadroomDevice): string => {
  if (isUnknown(ceiling)) return `${name}: ${deviceName}`;
  return `${name}: ${deviceName}, ${figureText(formatBytesPerSecond(ceiling.bytesPerSecond))} ${ceiling.isMeasured ? 'measured' : 'by its data sheet'}`;
};

const needText = (need: PlacementPart['need']): string =>
  isUnknown(need) ? '' : `, holds ${bytesText(need.totalBytes)}`;

const termText = (terms: PlacementTerms): string =>
  TERMS.filter(([term]) => terms[term] > 0)
    .map(([term, text]) => `${text} ${duration(terms[term])}`)
    .join(' + ');

const fitText = (fit: Fit | Unknown, context: PlacementHeadroom['contextThatFits']): string => {
  const room =
    isUnknown(context) || context === 0 ? '' : `; up to ${counted(context, 'token')} of context fit`;
  switch (fit.kind) {
    case 'unknown':
      return `whether it fits is unknown: ${fit.reason}`;
    case 'fits':
      return `fits in all of its memory, ${figureText(formatBytes(fit.freeBytes))} stay free${room}`;
    case 'tight':
      return `may not fit: up to ${figureText(formatBytes(fit.missingBytes))} are missing${room}`;
    case 'does-not-fit':
      return !isUnknown(context) && context === 0
        ? `does not fit: ${figureText(formatBytes(fit.missingBytes))} are missing, and less context does not help`
        : `does not fit: ${figureText(formatBytes(fit.missingBytes))} are missing${room}`;
    default:
      return fit satisfies never;
  }
};

/** Which device decides, and how much of it is free. */
const fitNowText = (fit: Fit | Unknown, parts: readonly PlacementPart[]): string => {
  if (isUnknown(fit)) return `whether it fits into the memory that is free now is unknown: ${fit.reason}`;
  const { memoryFreeBytes = unknown('not read'), name } =
    parts.find(part => part.fitNow === fit)?.device ?? {};
  const now = isUnknown(memoryFreeBytes)
    ? 'now'
    : `now, with ${figureText(formatBytes(memoryFreeBytes))} free${parts.length > 1 ? ` on ${name}` : ''}`;
  switch (fit.kind) {
    case 'fits':
      return `${now}: fits, ${figureText(formatBytes(fit.freeBytes))} stay free`;
    case 'tight':
      return `${now}: may not fit, up to ${figureText(formatBytes(fit.missingBytes))} are missing`;
    case 'does-not-fit':
      return `${now}: does not fit, ${figureText(formatBytes(fit.missingBytes))} are missing until other programs free them`;
    default:
      return fit satisfies never;
  }
};

const reported = <T>(value: T | Unknown, text: (known: T) => string): string =>
  isUnknown(value) ? `unknown: ${value.reason}` : text(value);

const bytesText = ({ low, high }: Interval): string =>
  low === high
    ? figureText(formatBytes(low))
    : `${figureText(formatBytes(low))} to ${figureText(formatBytes(high))}`;

const rate = (perSecond: number): string => formatThreeDigits(perSecond);
const duration = (seconds: number): string => figureText(formatNanoseconds(seconds * 1e9));
const durations = ({ value, low, high }: Estimate): string =>
  `${duration(value)} (${duration(low)} to ${duration(high)})`;

const TERMS: readonly (readonly [PlacementTerm, string])[] = [
  ['weights', 'weights'],
  ['experts', 'experts'],
  ['cache', 'cache'],
  ['compute', 'compute'],
  ['overhead', 'overhead'],
  ['linkLatency', 'waiting for links'],
  ['linkBandwidth', 'sending over links'],
];
const LIMIT_LABELS: Readonly<Record<PlacementTerm | 'capacity', string>> = {
  capacity: 'memory: it does not fit',
  weights: 'reading weights',
  experts: 'reading experts',
  cache: 'reading the cache',
  compute: 'compute',
  overhead: "the engine's overhead, not the device",
  linkLatency: 'the latency of links',
  linkBandwidth: 'the bandwidth of links',
};
/** About one screen. */
const OTHERS_SHOWN = 12;
