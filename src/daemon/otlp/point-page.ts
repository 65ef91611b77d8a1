// The points of one message of OTLP: an instrument is made with its first point, so what is not known is not there.

import { isUnknown, type Unknown } from '../../core/unknown.ts';
import {
  type Attributes,
  type OtlpGauge,
  type OtlpNumberPoint,
  type OtlpSum,
  otlpAttributes,
} from '../../report/otlp/otlp-json.ts';

/** Of one message. A machine with eight GPUs and a hundred interfaces has about a thousand. */
export const OTLP_POINTS_MAX = 10_000;

export interface Instrument {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** The kinds of the conventions; an up-down counter may fall, a counter can only be reset. */
  readonly kind: 'gauge' | 'counter' | 'updowncounter';
}

export class PointPage {
  readonly #timeUnixNano: string;
  readonly #points = new Map<Instrument, OtlpNumberPoint[]>();
  #count = 0;
  #leftOut = 0;

  constructor(wallMs: number) {
    this.#timeUnixNano = String(BigInt(Math.round(wallMs)) * 1_000_000n);
  }

  /** Past the bound. */
  get leftOut(): number {
    return this.#leftOut;
  }

  put(instrument: Instrument, attributes: Attributes, figure: number | boolean | Unknown | undefined): void {
    if (figure === undefined || isUnknown(figure)) return;
    const asDouble = Number(figure);
    if (!Number.isFinite(asDouble)) return;
    if (this.#count >= OTLP_POINTS_MAX) {
      this.#leftOut += 1;
      return;
    }
    this.#count += 1;
    const existing = this.#points.get(instrument);
    // The start of a system counter is not reported, so no point has a start time.
    const point = { attributes: otlpAttributes(attributes), timeUnixNano: this.#timeUnixNano, asDouble };
    if (existing === undefined) this.#points.set(instrument, [point]);
    else existing.push(point);
  }

  metrics(): readonly (OtlpGauge | OtlpSum)[] {
    return [...this.#points].map(([{ kind, ...instrument }, dataPoints]) =>
      kind === 'gauge'
        ? { ...instrument, gauge: { dataPoints } }
        : {
            ...instrument,
            sum: { aggregationTemporality: 2 as const, isMonotonic: kind === 'counter', dataPoints },
          },
    );
  }
}
