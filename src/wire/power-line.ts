// power.csv of a run directory: the power of the loaded node, one line per second, in seconds since the run's
// zero and watts by scope. Empty: not reported by every sensor of that scope. Usable in spreadsheets, and
// read back for charts.

import { ENERGY_SCOPES, type EnergyScope } from '../core/run/energy.ts';

interface PowerLine {
  readonly seconds: number;
  /** Only those that were reported. */
  readonly watts: ReadonlyMap<EnergyScope, number>;
}

export const encodePowerLines = (lines: readonly PowerLine[]): string =>
  `${[
    ['seconds', ...ENERGY_SCOPES.map(scope => `${scope}Watts`)],
    ...lines.map(({ seconds, watts }) => [
      seconds.toFixed(3),
      ...ENERGY_SCOPES.map(scope => watts.get(scope)?.toFixed(1) ?? ''),
    ]),
  ]
    .map(cells => cells.join(','))
    .join('\n')}\n`;

/** By the column names of the first line; unreadable lines are left out. */
export const decodePowerLines = (text: string): readonly PowerLine[] => {
  const [head = '', ...lines] = text.split('\n');
  const names = head.split(',');
  return lines.flatMap(line => {
    const cells = line.split(',');
    const figureAt = (name: string): number | undefined => {
      const cell = cells[names.indexOf(name)];
      const figure = cell === undefined || cell === '' ? Number.NaN : Number(cell);
      return Number.isFinite(figure) && figure >= 0 ? figure : undefined;
    };
    const seconds = figureAt('seconds');
    if (cells.length !== names.length || seconds === undefined) return [];
    const watts = ENERGY_SCOPES.flatMap(scope => {
      const figure = figureAt(`${scope}Watts`);
      return figure === undefined ? [] : [[scope, figure] as const];
    });
    return [{ seconds, watts: new Map(watts) }];
  });
};
