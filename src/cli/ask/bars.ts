import stringWidth from 'string-width';

/** Columns of a bar that has a line of its own. */
export const BAR = 24;

/** A share from 0 to 1 as a bar; whatever is above 0 shows. */
export function bar(share: number, width: number): string {
  const least = share > 0 ? 1 : 0;
  const filled = Math.min(width, Math.max(least, Math.round(share * width)));
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
}

export const shareOf = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

/** A bar with what it says in words; where there is no room for both, the words alone. */
export function beside(drawn: string, text: string, width: number): string {
  const both = `${drawn} ${text}`;
  return stringWidth(both) <= width ? both : text;
}
