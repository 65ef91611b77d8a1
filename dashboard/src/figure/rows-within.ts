// Which rows of a table lie within a window, of rows of about one height.

export interface Rows {
  readonly first: number;
  readonly last: number;
}

export const ALL_ROWS: Rows = { first: 0, last: Number.POSITIVE_INFINITY };

export interface Span {
  readonly top: number;
  readonly bottom: number;
}

export const rowsWithin = (body: Span, count: number, window: Span): Rows => {
  const height = (body.bottom - body.top) / Math.max(1, count);
  if (!(height > 0)) return ALL_ROWS;
  return {
    first: Math.floor((window.top - body.top) / height) - MARGIN_ROWS,
    last: Math.floor((window.bottom - body.top) / height) + MARGIN_ROWS,
  };
};

/** Rows differ a little in height, and a quick scroll shows some before they are looked at. */
const MARGIN_ROWS = 3;
