// With which products an engine multiplies a model's weights: the ceiling of reading prompts is that of those, and a ceiling of
// 16-bit products bounds no engine that multiplies in 8 bits.

export type WeightProducts = '16-bit' | 'INT8' | 'FP8' | '8-bit' | '4-bit';

/** Operations a second; undefined where they were not measured. */
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
  /** Why an engine may pass it; '' where none can. */
  readonly doubt: string;
}

/** Of products that an engine uses: the fastest that was measured and that it could use. Undefined: none was measured. */
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

export const ceilingWords = ({ of, doubt }: ProductCeiling): string =>
  `${of} ceiling${doubt === '' ? '' : `; ${doubt}`}`;

/** Engines fall back to 16 bits where a shape has no kernel of fewer, so that those are always among them. */
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
