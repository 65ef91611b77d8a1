// The type of products that an engine uses for a model's weights: it sets the ceiling of reading prompts. A
// ceiling of 16-bit products does not limit an engine that multiplies in 8 bits.

export type WeightProducts = '16-bit' | 'INT8' | 'FP8' | '8-bit' | '4-bit';

/** Operations per second; undefined if not measured. */
interface MeasuredProducts {
  /** With 32-bit sums. */
  readonly operationsPerSecond: number | undefined;
  readonly int8PerSecond?: number | undefined;
  readonly fp8PerSecond?: number | undefined;
}

export interface ProductCeiling {
  readonly operationsPerSecond: number;
  /** Which of the measured products it is. */
  readonly of: '16-bit' | 'INT8' | 'FP8';
  /** Why an engine may exceed it; '' if none can. */
  readonly doubt: string;
}

/** The fastest measured products that the engine could use. Undefined if none was measured. */
export const productCeiling = (
  ceiling: MeasuredProducts,
  precision: WeightProducts,
): ProductCeiling | undefined => {
  const wanted = USES[precision];
  const measured = (
    [
      ['16-bit', ceiling.operationsPerSecond],
      ['INT8', ceiling.int8PerSecond],
      ['FP8', ceiling.fp8PerSecond],
    ] as const
  ).flatMap(([of, operationsPerSecond]) =>
    operationsPerSecond === undefined || !(operationsPerSecond > 0) || !wanted.includes(of)
      ? []
      : [{ of, operationsPerSecond }],
  );
  const [first, ...others] = measured;
  if (first === undefined) return undefined;
  const best = others.reduce((a, b) => (b.operationsPerSecond > a.operationsPerSecond ? b : a), first);
  const isOwn =
    precision === '16-bit' || (precision !== '4-bit' && measured.some(({ of }) => of !== '16-bit'));
  return { ...best, doubt: isOwn ? '' : `it multiplies in ${BITS[precision]}, which was not measured` };
};

export const ceilingText = ({ of, doubt }: ProductCeiling): string =>
  `${of} ceiling${doubt === '' ? '' : `; ${doubt}`}`;

/**
 * Engines fall back to 16 bits if a shape has no kernel of fewer, so 16-bit products are always included.
 */
const USES: Readonly<Record<WeightProducts, readonly ProductCeiling['of'][]>> = {
  '16-bit': ['16-bit'],
  INT8: ['16-bit', 'INT8'],
  FP8: ['16-bit', 'FP8'],
  '8-bit': ['16-bit', 'INT8', 'FP8'],
  '4-bit': ['16-bit', 'INT8', 'FP8'],
};
const BITS: Readonly<Record<WeightProducts, string>> = {
  '16-bit': '16 bits',
  INT8: 'INT8',
  FP8: 'FP8',
  '8-bit': '8 bits',
  '4-bit': '4 bits',
};
