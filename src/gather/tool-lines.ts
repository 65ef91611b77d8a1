// The lines of a tool's output, with bounds: a line longer than any tool prints is left out, so that no pattern is
// ever tried on a megabyte.

export const toolLines = (text: string): readonly string[] =>
  text
    .split('\n', LINES_MAX)
    .filter(line => line.length <= LINE_LENGTH_MAX)
    .map(line => (line.endsWith('\r') ? line.slice(0, -1) : line));

const LINES_MAX = 50_000;
const LINE_LENGTH_MAX = 4_000;
