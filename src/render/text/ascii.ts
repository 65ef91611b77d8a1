// Lines for a terminal that only has ASCII: meaningful characters become ASCII text, others a question mark.

/** A terminal of another encoding shows a bar as a bar. */
export const asciiOf = (line: string): string =>
  line
    .replace(/[█▉▊▋▌▍▎▏]/g, '#')
    .replace(/│/g, '|')
    .replace(/µ/g, 'u')
    .replace(/[–·]/g, '-')
    .replace(/≤/g, '<=')
    .replace(/≥/g, '>=')
    .replace(/∞/g, 'inf')
    .replace(/÷/g, '/')
    .replace(/−/g, '-')
    .replace(/…/g, '...')
    .replace(/[\u00a0\u202f]/g, ' ')
    .replace(/[^\x20-\x7e]/g, '?');
