// The energy of a run as rows and sentences for people, the same in every form.

import { type Figure, figureText, formatThreeDigits, formatWatts } from '../../core/figure/figure.ts';
import type { EnergyScope, RunEnergy, ScopeEnergy } from '../../core/run/energy.ts';
import { RECENT_SECONDS } from '../../core/run/recent-window.ts';
import type { Report } from '../../core/run/report.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import { type Section, withRows } from '../section.ts';

export const energySection = ({ energy }: Pick<Report, 'energy'>): Section | undefined => {
  if (energy === undefined) return undefined;
  if (isUnknown(energy)) return { key: 'energy', title: 'Energy', unknown: energy.reason };
  return {
    key: 'energy',
    title: 'Energy',
    note: 'by the sensors of the node that was loaded, while it was measured',
    tables: withRows({ name: 'Energy', columns: ENERGY_COLUMNS, rows: energyRows(energy) }),
    remarks: energyRemarks(energy),
  };
};

const ENERGY_COLUMNS = ['power of', 'energy', 'request', 'out token', 'token', 'mean', 'before'] as const;

/** Scopes of which something is known. */
const energyRows = ({ scopes }: RunEnergy): readonly (readonly string[])[] =>
  scopes.filter(({ joules }) => !isUnknown(joules)).map(scopeRow);

const scopeRow = (of: ScopeEnergy): readonly string[] => {
  const error = isUnknown(of.joulesError) ? '' : ` ±${text(of.joulesError, formatJoules)}`;
  return [
    `${SCOPE_LABELS[of.scope]}${of.isValid ? '' : INVALID_MARK}`,
    `${text(of.joules, formatJoules)}${error}`,
    text(of.joulesPerRequest, formatJoules),
    text(of.joulesPerOutputToken, formatJoules),
    text(of.joulesPerToken, formatJoules),
    text(of.wattsMean, formatWatts),
    text(of.idleWatts, formatWatts),
  ];
};

/** The last seconds of a run in progress. */
export const liveEnergySection = (energy: RunEnergy): Section => ({
  ...LIVE_POWER,
  note: `over the last ${RECENT_SECONDS} s, by the sensors of ${energy.node}`,
  tables: withRows({
    name: LIVE_POWER.title,
    columns: ['power of', 'now', 'output token'],
    rows: energyRows(energy).map(([of = '', , , perToken = '', , now = '']) => [of, now, perToken]),
  }),
  remarks: energyRemarks(energy),
});

/** @param reason why the node of the target is not known */
export const unknownLiveEnergy = (reason: string): Section => ({
  ...LIVE_POWER,
  unknown: `the machine at the URL is not a node of the cluster (${reason})`,
});

const LIVE_POWER = { key: 'power', title: 'Power now' } as const;

/** Remarks below the table: what is not valid and why, then what is not known. */
const energyRemarks = ({ node, scopes, reasons }: RunEnergy): readonly string[] => {
  const isAnyKnown = scopes.some(({ joules }) => !isUnknown(joules));
  const shown = reasons.filter(({ scopes: of }) =>
    scopes.some(({ scope, joules }) => of.includes(scope) && !isUnknown(joules)),
  );
  return [
    ...(isAnyKnown
      ? [`Of ${node}, by its own sensors; its idle power is not subtracted`]
      : [`Nothing is known of the power of ${node}`]),
    ...shown.map(({ problem }) => `${INVALID_MARK.trim()} ${problem}`),
    ...scopes.flatMap(({ scope, joules }) =>
      isUnknown(joules) ? [`${SCOPE_LABELS[scope]}: unknown, ${joules.reason}`] : [],
    ),
  ];
};

export const formatJoules = (joules: number): Figure => {
  const unit = UNITS.find(({ least }) => Math.abs(joules) >= least) ?? { least: 1e-3, unit: 'mJ' };
  return { figure: formatThreeDigits(joules / unit.least), unit: unit.unit };
};

const text = (value: Reported<number>, format: (value: number) => Figure): string =>
  isUnknown(value) ? '–' : figureText(format(value));

/** Suffix of a figure that is incomplete, or not the server's alone. */
const INVALID_MARK = ' !';
const SCOPE_LABELS: Readonly<Record<EnergyScope, string>> = {
  gpu: 'GPUs',
  processor: 'processors',
  machine: 'whole machine',
};
const UNITS = [
  { least: 1e6, unit: 'MJ' },
  { least: 1e3, unit: 'kJ' },
  { least: 1, unit: 'J' },
  { least: 1e-3, unit: 'mJ' },
] as const;
