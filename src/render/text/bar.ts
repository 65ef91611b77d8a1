// A bar of a chart as text.

/** In eighths of a character; any value above zero is visible. */
export const textBar = (share: number, columns: number): string => {
  const eighths = share > 0 ? Math.max(1, Math.round(share * columns * 8)) : 0;
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
};

const EIGHTHS: readonly string[] = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
