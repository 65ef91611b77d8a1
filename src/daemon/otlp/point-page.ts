// The points of one message of OTLP: an instrument is made with its first point, so what is not known is not there.

import { baseValue, FIGURE_UNITS, type FigureRow, labelsOf } from '../../core/figure/figure-row.ts';
import {
  type Attributes,
  type OtlpGauge,
  type OtlpNumberPoint,
  type OtlpSum,
  otlpAttributes,
} from '../../report/otlp/otlp-json.ts';

/** Of one message. A machine with eight GPUs and a hundred interfaces has about a thousand. */
export const OTLP_POINTS_MAX = 10_000;

interface PointInstrument {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** The kinds of the conventions; an up-down counter may fall, a counter can only be reset. */
  readonly kind: 'gauge' | 'counter' | 'updowncounter';
}

interface PointScope<Aging extends string> {
  readonly attributes: Attributes;
  /** Whether a reading is on time: figures of a late one are left out, unless they are kept. */
  readonly isCurrent?: (reading: Aging) => boolean;
}

export class PointPage {
  readonly #timeUnixNano: string;
  /** By the name of the instrument. */
  readonly #instruments = new Map<string, { instrument: PointInstrument; points: OtlpNumberPoint[] }>();
  #count = 0;
  #leftOut = 0;

  constructor(wallMs: number) {
    this.#timeUnixNano = String(BigInt(Math.round(wallMs)) * 1_000_000n);
  }

  /** Past the bound. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** The figures of one subject that have an instrument. */
  figures<Subject, Aging extends string>(
    rows: readonly FigureRow<Subject, Aging>[],
    subject: Subject,
    { attributes, isCurrent = () => true }: PointScope<Aging>,
  ): void {
    for (const row of rows) {
      const { otlp, aging, unit: figureUnit } = row;
      if (otlp === undefined) continue;
      if (aging !== undefined && row.isKept !== true && !isCurrent(aging)) continue;
      const { name, description, kind, unit = FIGURE_UNITS[figureUnit].otlp } = otlp;
      const all =
        otlp.sensor === undefined
          ? { ...attributes, ...labelsOf(otlp.attributes, subject) }
          : labelsOf(otlp.sensor, subject);
      this.put({ name, unit, description, kind }, all, baseValue(row, subject));
    }
  }

  put(instrument: PointInstrument, attributes: Attributes, asDouble: number | undefined): void {
    if (asDouble === undefined) return;
    if (this.#count >= OTLP_POINTS_MAX) {
      this.#leftOut += 1;
      return;
    }
    this.#count += 1;
    // The start of a system counter is not reported, so no point has a start time.
    const point = { attributes: otlpAttributes(attributes), timeUnixNano: this.#timeUnixNano, asDouble };
    const existing = this.#instruments.get(instrument.name);
    if (existing === undefined) this.#instruments.set(instrument.name, { instrument, points: [point] });
    else existing.points.push(point);
  }

  metrics(): readonly (OtlpGauge | OtlpSum)[] {
    return [...this.#instruments.values()].map(
      ({ instrument: { kind, ...instrument }, points: dataPoints }) =>
        kind === 'gauge'
          ? { ...instrument, gauge: { dataPoints } }
          : {
              ...instrument,
              sum: { aggregationTemporality: 2 as const, isMonotonic: kind === 'counter', dataPoints },
            },
    );
  }
}
