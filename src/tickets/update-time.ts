const slashed = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(.*)$/;

/** Whether a time like 13/01/2025 shows that its file writes the day first: a first number above 12, or dots. */
export function isDayFirst(time: string): boolean {
  const found = slashed.exec(time);
  return found !== null && (Number(found[1]) > 12 || found[2] === '.');
}

/** Only ever compared with times of the same file, so that the unit of a bare number does not matter. */
export function timeOf(time: string, dayFirst: boolean): number {
  if (/^\d+(\.\d+)?$/.test(time)) return Number(time);
  const [, first, , second, year, rest = ''] = slashed.exec(time) ?? [];
  if (first === undefined || second === undefined) return Date.parse(time);
  const [month, day] = dayFirst ? [second, first] : [first, second];
  return Date.parse(`${month}/${day}/${year}${rest}`);
}
