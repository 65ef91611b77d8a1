// Every reading of this machine as the daemon holds it: how old it is, and why it or a figure in it is unknown.

import { formatAge } from '../../core/figure/duration.ts';
import { figureText } from '../../core/figure/figure.ts';
import { VENDOR_NAMES } from '../../core/node/gpu.ts';
import type { NodeView } from '../../core/node/node-view.ts';
import { readingTitle } from '../../core/node/reading.ts';
import { readingName, readingsOf } from '../../core/node/reading-rows.ts';
import type { ReadingView } from '../../core/node/reading-view.ts';
import { isUnknown, type ReasonCode, type Unknown } from '../../core/unknown.ts';
import { type Check, checksOf } from './check.ts';

const check = checksOf('readings');

export const readingChecks = (view: NodeView): readonly Check[] => [
  ...readingsOf(view)
    // The settings have their own section.
    .filter(({ reading }) => reading !== 'config')
    .flatMap(reading => readingCheck(readingName(reading), reading.view)),
  ...view.absentGpus.map(({ vendor, reason }) =>
    check('ok', `${VENDOR_NAMES[vendor]} ${readingTitle('gpus')}: not on this machine (${reason})`),
  ),
];

const readingCheck = (name: string, view: ReadingView<unknown>): readonly Check[] => {
  switch (view.kind) {
    case 'waiting':
      return [check('note', `${name}: not read yet`)];
    case 'absent':
      return [check('ok', `${name}: not on this machine (${view.reason})`)];
    case 'unavailable':
      return [check('problem', `${name}: ${view.reason} (${view.source})`, adviceFor(view.code))];
    case 'stale': {
      const age = figureText(formatAge(view.ageMs));
      return [check('problem', `${name}: stale, ${age} old: ${view.reason}`, adviceFor(view.code))];
    }
    case 'current': {
      const age = figureText(formatAge(view.ageMs));
      return [check('ok', `${name}: ${age} old, from ${view.source}`), ...unknownChecks(name, view.value)];
    }
    default:
      return view satisfies never;
  }
};

/** One note for each different reason in a reading, with the figures that have it. */
const unknownChecks = (name: string, value: unknown): readonly Check[] => {
  const byReason = Map.groupBy(unknownsIn(value, ''), ({ why }) => why.reason);
  return [...byReason].map(([reason, unknowns]) => {
    const names = new Set(unknowns.map(({ path }) => path));
    const code = unknowns.find(({ why }) => why.code !== undefined)?.why.code;
    const shown = [...names].slice(0, NAMES_MAX).join(', ');
    const more = names.size > NAMES_MAX ? ` and ${names.size - NAMES_MAX} more` : '';
    return check('note', `${name}: ${shown}${more} unknown: ${reason}`, adviceFor(code));
  });
};

/** Every unknown in a value with the words of its path: "cpu temperature celsius", "eth0 speed bits per second". */
const unknownsIn = (
  value: unknown,
  path: string,
): readonly { readonly path: string; readonly why: Unknown }[] => {
  if (isUnknown(value)) return [{ path, why: value }];
  if (Array.isArray(value)) return value.flatMap(item => unknownsIn(item, nameOf(item) ?? path));
  if (typeof value !== 'object' || value === null || isMadeUp(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    unknownsIn(inner, path === '' ? spaced(key) : `${path} ${spaced(key)}`),
  );
};

const nameOf = (item: unknown): string | undefined =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string'
    ? item.name
    : undefined;

/** Interfaces without hardware have neither speed nor driver, so a missing one is not a problem. */
const isMadeUp = (value: object): boolean =>
  'type' in value && (value.type === 'loopback' || value.type === 'virtual');

const spaced = (key: string): string => key.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);

const adviceFor = (code: string | undefined): string => ADVICE.get(code ?? '') ?? '';

/** What can be done about a reason. */
const ADVICE: ReadonlyMap<string, string> = new Map<ReasonCode, string>([
  ['rapl-permission', 'Let the daemon read it: sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj'],
  ['macmon-missing', 'Run: brew install macmon'],
  ['tool-missing', 'Install the tool, or ignore this if the machine has no such hardware.'],
  ['permission', 'Run the daemon as a user who may read it, or open the file to that user.'],
  ['psi-off', 'Start the kernel with psi=1.'],
  ['no-sensor', 'Load the sensor driver of this board (sudo sensors-detect); virtual machines have none.'],
  ['no-answer', 'Run the tool yourself to see what blocks it.'],
]);

const NAMES_MAX = 6;
