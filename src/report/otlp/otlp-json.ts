// The part of OTLP that is sent here, in the JSON of its protobufs (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding):
// 64-bit integers as text, ids in hexadecimal, enums as numbers, names in lowerCamelCase.

import { showable } from '../../core/text/single-line.ts';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

interface OtlpAttribute {
  readonly key: string;
  readonly value:
    | { readonly stringValue: string }
    | { readonly boolValue: boolean }
    | { readonly intValue: string }
    | { readonly doubleValue: number };
}

export interface OtlpResource {
  readonly resource: { readonly attributes: readonly OtlpAttribute[] };
  readonly scope: { readonly name: string; readonly version: string };
}

interface OtlpHistogramPoint {
  readonly attributes: readonly OtlpAttribute[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly count: string;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly bucketCounts: readonly string[];
  readonly explicitBounds: readonly number[];
}

export interface OtlpNumberPoint {
  readonly attributes: readonly OtlpAttribute[];
  readonly timeUnixNano: string;
  readonly asDouble: number;
}

interface OtlpInstrument {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
}

export interface OtlpHistogram extends OtlpInstrument {
  readonly histogram: {
    /** Cumulative. */
    readonly aggregationTemporality: 2;
    readonly dataPoints: readonly OtlpHistogramPoint[];
  };
}

export interface OtlpGauge extends OtlpInstrument {
  readonly gauge: { readonly dataPoints: readonly OtlpNumberPoint[] };
}

export interface OtlpSum extends OtlpInstrument {
  readonly sum: {
    readonly aggregationTemporality: 2;
    readonly isMonotonic: boolean;
    readonly dataPoints: readonly OtlpNumberPoint[];
  };
}

type OtlpMetric = OtlpHistogram | OtlpGauge | OtlpSum;

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: within a process, 3: of a client. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  /** 2: failed. */
  readonly status: { readonly code?: 2; readonly message?: string };
}

/** An integer is sent as one; undefined values are left out, because unknown is not a value. */
export const otlpAttributes = (attributes: Attributes): readonly OtlpAttribute[] =>
  Object.entries(attributes).flatMap(([key, value]): readonly OtlpAttribute[] => {
    if (value === undefined) return [];
    if (typeof value === 'string') return [{ key, value: { stringValue: value.slice(0, TEXT_LENGTH) } }];
    if (typeof value === 'boolean') return [{ key, value: { boolValue: value } }];
    return [
      {
        key,
        value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value },
      },
    ];
  });

/** For POST /v1/metrics. */
export const metricsRequest = ({ resource, scope }: OtlpResource, metrics: readonly OtlpMetric[]): string =>
  showable(JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] }));

/** For POST /v1/traces. */
export const tracesRequest = ({ resource, scope }: OtlpResource, spans: readonly OtlpSpan[]): string =>
  showable(JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] }));

const TEXT_LENGTH = 1_024;
